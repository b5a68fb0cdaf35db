import { GRACE_MS, LEASE_MS } from '../../cluster/member-lease.ts';
import { type Script, script } from './scripts.ts';

/*
 * Lua scripts that read and change the table of owners in Redis or Valkey. The table lists the members (cores) of the
 * cluster, and the owner of each bucket (group of servers). All times are in ms, by the clock of the Redis node.
 */

/*
 * Each script gets the four keys of the table of owners (`TABLE_KEYS`) and two arguments:
 * - ARGV[1]: id of the calling process.
 * - ARGV[2]: random text that makes each version of the table unique, even if a failover loses the newest versions.
 */

/*
 * The flag `allow-oom` lets these Lua scripts run even if the memory of the Redis node is full. Without the flag, no
 * core could then renew its lease, and all cores would stop answering Fetch calls.
 */

/**
 * The keys of the table of owners: KEYS[1] to KEYS[4] of each script. All keys contain the hash tag `{0}`, so Redis
 * keeps them in one hash slot. The keys of bucket 0 (`TABLE_BUCKET`) contain the same hash tag.
 */
export const TABLE_KEYS: readonly string[] = [
  /**
   * State of the table of owners: a hash with these fields.
   * - `version`: changes when the members or owners change.
   * - `epoch`: the highest epoch so far. Each call that acquires buckets gets the next higher number as its epoch.
   * - `node`: the run id of the Redis process that executed the last script.
   * - `claims-from`: the time at which members can acquire buckets again after a failover or an outage.
   * - `hold` and `hold-until`: the id and the end of a hold, a pause of all writes during `gsq migrate`.
   * - `moved`: the JSON of a `MovedStore`, if the data was moved to another store.
   */
  'gsq-owner:{0}',
  /** Sorted set with the ids of all members. The score of a member is the time at which its lease ends. */
  'gsq-owner:{0}:leases',
  /**
   * Hash with one field for each member, named after the id of the member. The value is `<state> <address>`.
   * ` <id of the hold>` follows if the member has stopped its writes for a hold (a pause of all writes).
   */
  'gsq-owner:{0}:members',
  /** Hash from the number of a bucket to its owner: `<epoch> <member id>`. A stored owner may have lost its lease. */
  'gsq-owner:{0}:buckets',
];
/**
 * Number of the bucket whose keys are in the same hash slot as the table of owners. Therefore one node of the cluster
 * stores both the table and this bucket.
 */
export const TABLE_BUCKET = 0;
/** Longest time for which one call of `HOLD_SCRIPT` can pause all writes, in milliseconds. */
export const HOLD_MS = 10_000;

/**
 * First part of every Lua script for the table of owners:
 * - Shortens each lease that ends more than LEASE_MS from now. Such a lease exists only if the clock was set back.
 * - Removes members whose lease has ended.
 * - Ends a hold (a pause of all writes) whose time is over.
 * - Defines `changeVersion`, which scripts call after a change of the members or owners.
 * - Defines `timeOf`, which reads a time from KEYS[1]. A time later than `longest` ms from now exists only if the clock
 *   was set back. `timeOf` changes such a time to `longest` ms from now.
 *
 * If the run id of the Redis process has changed (after a failover or restart):
 * - Extends leases to at least GRACE_MS from now, because no member could renew its lease.
 * - Lets no member acquire buckets for GRACE_MS, because the newest changes of owners can be lost. During this time,
 *   each member learns which buckets it still owns.
 * - Changes the version, so that each member reads the table again: a member may have read changes that are now lost.
 *
 * Does these three things also if the caller is still in the table although its lease has ended. Every script removes
 * members whose lease has ended, so no script has run since the caller's lease ended: no member could reach Redis, or
 * the clock was set forward. In this case, leases that ended GRACE_MS or more before the caller's lease are not
 * extended: their members were already dead, and would otherwise never leave the table.
 */
const PRELUDE = `#!lua flags=allow-oom
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function changeVersion()
  local number = string.match(redis.call('HGET', KEYS[1], 'version') or '0', '^%d+')
  redis.call('HSET', KEYS[1], 'version', string.format('%d-%s', number + 1, ARGV[2]))
end
local function timeOf(field, longest)
  local time = tonumber(redis.call('HGET', KEYS[1], field) or 0)
  if time <= now + longest then return time end
  redis.call('HSET', KEYS[1], field, string.format('%d', now + longest))
  return now + longest
end
local lease, grace = ${LEASE_MS}, ${GRACE_MS}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%d', now + lease), '+inf')) do
  redis.call('ZADD', KEYS[2], now + lease, id)
end
local ownEnds = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or now + lease)
local node = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
local lastNode = redis.call('HGET', KEYS[1], 'node')
if lastNode ~= node or ownEnds <= now then
  redis.call('HSET', KEYS[1], 'node', node)
  if lastNode then redis.call('HSET', KEYS[1], 'claims-from', string.format('%d', now + grace)) end
  local from = lastNode == node and string.format('(%d', ownEnds - grace) or '-inf'
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], from, now + grace)) do
    redis.call('ZADD', KEYS[2], now + grace, id)
  end
  changeVersion()
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
for _, id in ipairs(ended) do
  redis.call('ZREM', KEYS[2], id)
  redis.call('HDEL', KEYS[3], id)
end
if #ended > 0 then changeVersion() end
local hold = redis.call('HGET', KEYS[1], 'hold')
if hold and now >= timeOf('hold-until', ${HOLD_MS}) then
  redis.call('HDEL', KEYS[1], 'hold', 'hold-until')
  hold = false
end
local moved = redis.call('HGET', KEYS[1], 'moved')
`;

/**
 * Adds the calling process to the cluster as a member, or renews its lease. Arguments:
 * - ARGV[3]: state of the member. A member with the state `alone` excludes all other members.
 * - ARGV[4]: address of the member.
 * - ARGV[5]: version of the table of owners that the member already knows.
 * - ARGV[6]: id of the hold (pause of all writes) for which the member has stopped its writes, or empty.
 *
 * Returns a list:
 * - the version of the table
 * - the time in ms until the first lease of another member ends, or -1
 * - the id of the hold, or empty
 * - the JSON of a `MovedStore` if the data was moved to another store, or empty
 * - the members (KEYS[3]) and the owners (KEYS[4]), only if the version differs from ARGV[5]
 *
 * If the data was moved, a new core gets a list with only the JSON. If the caller cannot join, returns the id of the
 * member or hold that prevents this.
 *
 * Each call writes the entry of the member, even if it is unchanged: the command WAIT, which the caller sends next,
 * waits for replicas only after a write.
 */
export const RENEW_SCRIPT: Script = script(`${PRELUDE}
local isNew = not redis.call('ZSCORE', KEYS[2], ARGV[1])
if isNew and moved and ARGV[3] ~= 'alone' then return {moved} end
if hold and ARGV[3] == 'alone' then return hold end
if isNew or ARGV[3] == 'alone' then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local state = redis.call('HGET', KEYS[3], id) or ''
    if id ~= ARGV[1] and (ARGV[3] == 'alone' or string.sub(state, 1, 6) == 'alone ') then return id end
  end
end
local entry = ARGV[3] .. ' ' .. ARGV[4]
if ARGV[6] ~= '' then entry = entry .. ' ' .. ARGV[6] end
if isNew or redis.call('HGET', KEYS[3], ARGV[1]) ~= entry then changeVersion() end
redis.call('HSET', KEYS[3], ARGV[1], entry)
redis.call('ZADD', KEYS[2], now + lease, ARGV[1])
local otherEnds = -1
local first = redis.call('ZRANGE', KEYS[2], 0, 1, 'WITHSCORES')
for i = #first - 1, 1, -2 do
  if first[i] ~= ARGV[1] then otherEnds = first[i + 1] - now end
end
local version = redis.call('HGET', KEYS[1], 'version')
if version == ARGV[5] then return {version, otherEnds, hold or '', moved or ''} end
return {version, otherEnds, hold or '', moved or '', redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4])}`);

/**
 * Makes the calling core the owner of free buckets. A bucket is free if no other core with a lease owns it.
 * - ARGV[3]: a number that the new epoch must exceed. The other ARGV: the numbers of the buckets.
 * - Returns the new epoch (the highest so far) and the acquired buckets. Acquires no bucket if the caller has no lease,
 *   or before the time `claims-from` after a failover or an outage.
 *
 * Each call writes the epoch, even if no bucket was acquired: the command WAIT, which the caller sends next, waits for
 * replicas only after a write.
 */
export const CLAIM_SCRIPT: Script = script(`${PRELUDE}
local epoch = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0), tonumber(ARGV[3])) + 1
local mine = string.format('%d %s', epoch, ARGV[1])
local claimed, isFree = {}, {}
if redis.call('ZSCORE', KEYS[2], ARGV[1]) and now >= timeOf('claims-from', grace) then
  for i = 4, #ARGV do
    local owner = string.match(redis.call('HGET', KEYS[4], ARGV[i]) or '', ' (.*)$') or ARGV[1]
    if isFree[owner] == nil then
      isFree[owner] = owner == ARGV[1] or not redis.call('ZSCORE', KEYS[2], owner)
    end
    if isFree[owner] then
      redis.call('HSET', KEYS[4], ARGV[i], mine)
      claimed[#claimed + 1] = ARGV[i]
    end
  end
end
redis.call('HSET', KEYS[1], 'epoch', string.format('%d', epoch))
if #claimed > 0 then
  -- The caller must raise the fences before it can say again that nobody writes to its buckets.
  local entry = redis.call('HGET', KEYS[3], ARGV[1])
  redis.call('HSET', KEYS[3], ARGV[1], string.match(entry, '^%S+ %S+'))
  changeVersion()
end
return {epoch, claimed}`);

/**
 * Releases buckets of the calling core. From ARGV[3] on: for each bucket its number, and the epoch with which the
 * caller acquired it. Skips a bucket if the table contains a different owner or epoch.
 */
export const GIVE_SCRIPT: Script = script(`${PRELUDE}
local isChanged = false
for i = 3, #ARGV, 2 do
  if redis.call('HGET', KEYS[4], ARGV[i]) == ARGV[i + 1] .. ' ' .. ARGV[1] then
    redis.call('HDEL', KEYS[4], ARGV[i])
    isChanged = true
  end
end
if isChanged then changeVersion() end
return 1`);

/** Ends the lease of a member (a core). The buckets of this member are then free. ARGV[3]: id of the member. */
export const END_LEASE_SCRIPT: Script = script(`${PRELUDE}
redis.call('HDEL', KEYS[3], ARGV[3])
if redis.call('ZREM', KEYS[2], ARGV[3]) == 1 then changeVersion() end
return 1`);

/**
 * Begins or extends a hold: a pause of all writes during `gsq migrate`. Arguments:
 * - ARGV[1]: id of the calling process and of the hold.
 * - ARGV[3]: time from now until the hold ends, in ms, at most HOLD_MS.
 * - ARGV[4]: total number of buckets.
 * - ARGV[5]: `first` for the call that begins the hold. All other calls only extend the hold. They cannot begin an
 *   ended hold again, because cores may have written since the end.
 *
 * Returns one of these results:
 * - the id of another process that migrates the store
 * - an empty list, if the hold has ended or the data was moved to another store
 * - the number of buckets whose owner has no lease, and the ids of the members that still write
 *
 * If the script returns 0 buckets and no ids, no process can write any more. A process without a lease cannot write
 * either: each bucket then has an owner with a lease, and the store refuses the writes of other processes (see
 * `Fence`).
 */
export const HOLD_SCRIPT: Script = script(`${PRELUDE}
if hold and hold ~= ARGV[1] then return hold end
if not hold and (ARGV[5] ~= 'first' or moved) then return {} end
local waiting, isLive = {}, {}
local members = redis.call('HGETALL', KEYS[3])
for i = 1, #members, 2 do
  isLive[members[i]] = true
  if string.sub(members[i + 1], 1, 6) == 'alone ' then return members[i] end
  if string.match(members[i + 1], ' (%S+)$') ~= ARGV[1] then waiting[#waiting + 1] = members[i] end
end
redis.call('HSET', KEYS[1], 'hold', ARGV[1], 'hold-until', string.format('%d', now + ARGV[3]))
local owned = 0
local owners = redis.call('HVALS', KEYS[4])
for _, owner in ipairs(owners) do
  if isLive[string.match(owner, ' (.*)$')] then owned = owned + 1 end
end
return {tonumber(ARGV[4]) - owned, waiting}`);

/**
 * Records that the data was moved to another store, and ends the hold (the pause of all writes).
 * - ARGV[1]: id of the caller. ARGV[3]: the new value of `moved`.
 * - Returns 1 if `moved` has this value now. Returns 0 and changes nothing if the caller neither has the hold nor is a
 *   member with the state `alone`.
 */
export const MOVE_SCRIPT: Script = script(`${PRELUDE}
local isAlone = string.sub(redis.call('HGET', KEYS[3], ARGV[1]) or '', 1, 6) == 'alone '
if moved ~= ARGV[3] and hold ~= ARGV[1] and not isAlone then return 0 end
redis.call('HSET', KEYS[1], 'moved', ARGV[3])
redis.call('HDEL', KEYS[1], 'hold', 'hold-until')
return 1`);

/**
 * Ends a hold (a pause of all writes during `gsq migrate`), so that the cores can write again. ARGV[1]: id of the hold.
 * Does nothing if the hold has already ended.
 */
export const END_HOLD_SCRIPT: Script = script(`${PRELUDE}
if hold == ARGV[1] then redis.call('HDEL', KEYS[1], 'hold', 'hold-until') end
return 1`);

/** Deletes the note that the data was moved to another store. */
export const UNMOVE_SCRIPT: Script = script(`${PRELUDE}
redis.call('HDEL', KEYS[1], 'moved')
return 1`);

/** Returns `moved`, the note that the data was moved to another store. Returns an empty text if there is none. */
export const READ_MOVED_SCRIPT: Script = script(`${PRELUDE}
return moved or ''`);
