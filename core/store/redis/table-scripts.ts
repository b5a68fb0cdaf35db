import { GRACE_MS, LEASE_MS } from '../../cluster/member-lease.ts';
import { type Script, script } from './scripts.ts';

/*
 * Lua scripts that read and change the table of owners in Redis or Valkey. The table lists the members (cores) of the
 * cluster, and the owner of each bucket (group of servers). It consists of four keys: KEYS[1] to KEYS[4] of each script
 * (see `TABLE_KEYS`).
 *
 * Each script also gets two arguments. ARGV[1] is the id of the calling process. ARGV[2] is a random text that becomes
 * a part of each new version of the table. If a failover loses the newest versions, the random text prevents that a
 * different table gets the same version.
 *
 * All times are in ms, by the clock of the Redis node.
 *
 * The scripts also run if the memory of the node is full (`allow-oom`). Otherwise, all cores would lose their leases
 * when the memory is full, and no core would answer fetches.
 */

/**
 * The keys of the table of owners: KEYS[1] to KEYS[4] of each script. All keys contain the hash tag `{0}`, so Redis
 * keeps them in one hash slot. The keys of bucket 0 (`TABLE_BUCKET`) contain the same hash tag.
 */
export const TABLE_KEYS: readonly string[] = [
  /**
   * State of the table: a hash with these fields.
   * - `version`: the version of the table. It changes with each change of the members or owners.
   * - `epoch`: the highest epoch (number of an ownership) so far. Each later owner of a bucket has a higher epoch.
   * - `node`: the run id of the Redis process that executed the last script.
   * - `claims-from`: the time at which members can acquire buckets again after a failover.
   * - `hold` and `hold-until`: the id and the end of a hold. A hold is a pause of all writes during `gsq migrate`.
   * - `moved`: the JSON of a `MovedStore`. The field exists only if the data was moved to another store.
   */
  'gsq-owner:{0}',
  /** Sorted set with the ids of all members (cores). The score of a member is the time at which its lease ends. */
  'gsq-owner:{0}:leases',
  /**
   * Hash from the id of each member (core) to `<state> <address>`. During a hold (a pause of all writes), a member that
   * has stopped its writes adds a space and the id of the hold to its value.
   */
  'gsq-owner:{0}:members',
  /**
   * Hash from the number of each bucket (group of servers) to `<epoch> <member id>` of its owner. The lease of this
   * owner may have ended.
   */
  'gsq-owner:{0}:buckets',
];
/** Number of the bucket (group of store entries) whose hash slot also contains the table of owners. */
export const TABLE_BUCKET = 0;

/**
 * First part of every script:
 * - Removes members whose lease has ended.
 * - Ends a hold (a pause of all writes during `gsq migrate`) whose time is over.
 * - Defines `changeVersion`. A script calls this function after it has changed the members or owners.
 *
 * If the run id of the Redis process has changed, there was a failover or a restart. After that, this part also makes
 * three corrections:
 * - A lease that would end earlier than GRACE_MS from now is extended to this time, because no member could renew its
 *   lease during the failover.
 * - A lease that would end later than LEASE_MS from now is shortened to this time, because the clock of the new node
 *   can differ.
 * - No member can acquire buckets (groups of servers) for GRACE_MS (until `claims-from`), because the newest changes
 *   of the owners can be lost. In this time, each member renews its lease, and learns which buckets it still owns.
 */
const PRELUDE = `#!lua flags=allow-oom
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function changeVersion()
  local number = string.match(redis.call('HGET', KEYS[1], 'version') or '0', '^%d+')
  redis.call('HSET', KEYS[1], 'version', string.format('%d-%s', number + 1, ARGV[2]))
end
local lease = ${LEASE_MS}
local node = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
local lastNode = redis.call('HGET', KEYS[1], 'node')
if lastNode ~= node then
  redis.call('HSET', KEYS[1], 'node', node)
  if lastNode then redis.call('HSET', KEYS[1], 'claims-from', string.format('%d', now + ${GRACE_MS})) end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local ends = tonumber(redis.call('ZSCORE', KEYS[2], id))
    redis.call('ZADD', KEYS[2], math.min(math.max(ends, now + ${GRACE_MS}), now + lease), id)
  end
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
for _, id in ipairs(ended) do
  redis.call('ZREM', KEYS[2], id)
  redis.call('HDEL', KEYS[3], id)
end
if #ended > 0 then changeVersion() end
local hold = redis.call('HGET', KEYS[1], 'hold')
if hold and now >= tonumber(redis.call('HGET', KEYS[1], 'hold-until')) then
  redis.call('HDEL', KEYS[1], 'hold', 'hold-until')
  hold = false
end
local moved = redis.call('HGET', KEYS[1], 'moved')
`;

/**
 * Adds the calling process to the cluster as a member, or renews its lease as a member.
 *
 * Arguments:
 * - ARGV[3]: state of the member. A member with the state `alone` excludes all other members.
 * - ARGV[4]: address of the member.
 * - ARGV[5]: version of the table of owners that the member already knows.
 * - ARGV[6]: id of the hold (pause of all writes during `gsq migrate`) for which the member has stopped its writes.
 *   Empty if the member has not stopped its writes.
 *
 * If the caller is now a member, returns a list:
 * - the version of the table
 * - the time in ms until the first lease of another member ends; -1 if there is no other member
 * - the id of the hold; empty if there is no hold
 * - `moved`; empty if the data was not moved to another store
 * - the members (KEYS[3]) and the owners (KEYS[4]), only if the version differs from ARGV[5]
 *
 * If a new core calls the script after the data was moved to another store, returns a list with one element: `moved`.
 *
 * If the caller cannot join, returns the id of the member or of the hold that prevents this. A caller with the state
 * `alone` can join only if there is no hold and no other member.
 *
 * Each call writes the entry of the member, so that the Redis command WAIT waits for the replicas.
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
 * Makes the calling core the owner of free buckets (groups of servers). A bucket is free if it has no owner, if the
 * lease of its owner has ended, or if the caller owns it. ARGV[3]: a number that the new epoch must exceed. The other
 * ARGV: the numbers of the buckets.
 *
 * Returns the new epoch (number of the ownership) and the acquired buckets. The new epoch is higher than all earlier
 * epochs.
 *
 * Acquires no bucket if the lease of the caller has ended. After a failover, acquires no bucket for GRACE_MS (until
 * `claims-from`).
 *
 * A repeated call acquires the same buckets with a higher epoch. Each call writes the epoch, so that the Redis command
 * WAIT waits for the replicas.
 */
export const CLAIM_SCRIPT: Script = script(`${PRELUDE}
local epoch = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0), tonumber(ARGV[3])) + 1
local mine = string.format('%d %s', epoch, ARGV[1])
local claimed, isFree = {}, {}
local claimsFrom = tonumber(redis.call('HGET', KEYS[1], 'claims-from') or 0)
if redis.call('ZSCORE', KEYS[2], ARGV[1]) and now >= claimsFrom then
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
 * Releases buckets (groups of servers) that the calling core owns. ARGV[3] and later: the number of each bucket, and
 * the epoch (number of the ownership) with which the caller owns it. Skips a bucket that the table does not list with
 * this owner and this epoch.
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

/** Ends the lease of the calling member (a core). The buckets (groups of servers) of this member are then free. */
export const LEAVE_SCRIPT: Script = script(`${PRELUDE}
redis.call('HDEL', KEYS[3], ARGV[1])
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then changeVersion() end
return 1`);

/**
 * Begins or extends a hold: a pause of all writes during `gsq migrate`. Arguments:
 * - ARGV[1]: id of the hold, which is the id of the calling process.
 * - ARGV[3]: time from now until the hold ends, in ms.
 * - ARGV[4]: total number of buckets (groups of servers).
 * - ARGV[5]: `first` for the first call, which begins the hold. A later call cannot begin a hold that has ended,
 *   because the cores can have written since then.
 *
 * Returns one of these results:
 * - If another migration uses the store: the id of the process that migrates.
 * - If the hold has ended, or if the data was moved to another store: an empty list.
 * - Otherwise: the number of buckets without a live owner, and the ids of the members that still write.
 *
 * If both are empty (0 buckets, no ids), no process can write any more. This also applies to a process that has lost
 * its lease: all its buckets have newer owners, and refuse its writes (see `Fence`).
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
 * Notes that the data was moved to another store, and ends the hold (the pause of all writes). ARGV[1]: id of the
 * caller. ARGV[3]: the new value of `moved`.
 *
 * Returns 1 if the note is stored, also if it was stored before. Returns 0 and changes nothing if other processes can
 * still write. To prevent this, the caller must first begin a hold, or must be a member with the state `alone`. Such a
 * member excludes all other members.
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
