import { GRACE_MS, LEASE_MS } from '../../cluster/member-lease.ts';
import { type Script, script } from './scripts.ts';

/*
 * Lua scripts that change the table of owners in Redis. The table lists the members (cores) of the cluster, and the
 * owner of each bucket (group of servers). The table consists of four keys in one hash slot. Each script gets these
 * keys (`TABLE_KEYS`).
 *
 * KEYS[1] is a hash with the state of the table. It has these fields:
 * - `version`: the version of the table. Each change of the members or owners gives the table a new version.
 * - `epoch`: the highest epoch with which a core has acquired buckets. Later owners of a bucket have higher epochs.
 * - `node`: the run id of the Redis process that executed the last of these scripts.
 * - `claims-from`: after a failover, no member can acquire buckets before this time.
 * - `hold` and `hold-until`: the id and the end of a hold. A hold is a pause of all writes during `gsq migrate`.
 * - `moved`: the JSON of a `MovedStore`. The field exists only if the data was moved to another store.
 *
 * KEYS[2] is a sorted set with the id of each member. The score is the time at which the lease of the member ends.
 *
 * KEYS[3] is a hash from the id of each member to `<state> <address>`. During a hold, a member that has stopped its
 * writes adds a space and the id of the hold to its value.
 *
 * KEYS[4] is a hash from the number of each bucket to `<epoch> <member id>` of its owner. The lease of the owner can
 * have ended.
 *
 * All times are in ms, by the clock of the Redis node. ARGV[1] is the id of the calling process. ARGV[2] is a random
 * text that becomes a part of each new version. Without this text, two different tables could have the same version
 * after a failover that lost the newest changes.
 *
 * The scripts can run even if the memory of the node is full (allow-oom). Otherwise all cores would lose their leases
 * when the memory is full, and no core would answer fetches of known servers.
 */

/** The keys of the table of owners. `{0}` is the hash tag of bucket 0 (`TABLE_BUCKET`). */
export const TABLE_KEYS: readonly string[] = [
  'gsq-owner:{0}',
  'gsq-owner:{0}:leases',
  'gsq-owner:{0}:members',
  'gsq-owner:{0}:buckets',
];
/** Number of the bucket (group of store entries) whose hash slot also contains the table of owners. */
export const TABLE_BUCKET = 0;

/**
 * The first lines of every script. They do this:
 * - After a failover or a restart of Redis, they correct the leases of the members.
 * - They remove members whose lease has ended.
 * - They end a hold (a pause of all writes during `gsq migrate`) if its time is over.
 * - They define `changeVersion`, which a script calls after it has changed the members or owners.
 *
 * A changed run id of the Redis process shows a failover or a restart. Three corrections are then needed:
 * - No member could renew its lease during the failover. Therefore each lease lasts at least GRACE_MS from now.
 * - The clock of the new node can differ. Therefore each lease lasts at most LEASE_MS from now.
 * - The newest changes of the owners can be lost. Therefore no member can acquire buckets for GRACE_MS, until the time
 *   `claims-from`. In this time, each member renews its lease, and learns which buckets it still owns.
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
 * Adds a member (a core) to the cluster, or renews the lease of a member. Arguments:
 * - ARGV[3]: state of the member. A member with the state `alone` excludes all other members.
 * - ARGV[4]: address of the member.
 * - ARGV[5]: version of the table that the member knows.
 * - ARGV[6]: id of the hold for which the member has stopped its writes, or an empty text. A hold is a pause of all
 *   writes during `gsq migrate`.
 *
 * Returns one of these results:
 * - If another member or a hold prevents the caller from joining: the id of this member or hold. A member with the
 *   state `alone` can join only if there is no hold and no other member. While it is a member, no other member can
 *   join.
 * - If the caller is a new core and the data was moved to another store: a list that contains only `moved`.
 * - Otherwise: a list of the version, the time in ms until the lease of another member ends (-1 if there is no other
 *   member), the id of the hold, and `moved`. Without a hold or without `moved`, the list contains an empty text
 *   instead. If the version differs from ARGV[5], the hashes KEYS[3] (members) and KEYS[4] (owners) are added to the
 *   list.
 *
 * Each call writes the entry of the member, so the Redis command WAIT waits until replicas have this write.
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
 * Makes the calling core the owner of buckets (groups of servers). The core gets the buckets with a new epoch: a number
 * that is higher for each later owner of a bucket. ARGV[3]: a number that the new epoch must exceed. The other ARGV:
 * numbers of the buckets. Returns the new epoch and the acquired buckets.
 *
 * Skips a bucket if its owner is another member whose lease has not ended. Skips all buckets if the lease of the caller
 * has ended. Also skips all buckets before the time `claims-from`, which follows a failover.
 *
 * A repeated call acquires the same buckets again with a higher epoch. Each call writes the epoch, so the Redis command
 * WAIT waits until replicas have this write.
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
 * Begins or extends a hold: a pause of all writes during `gsq migrate`. ARGV[1]: id of the hold. ARGV[3]: time from now
 * until the hold ends, in ms. ARGV[4]: number of all buckets. ARGV[5]: `first` for the first call. Only the first call
 * can begin the hold, because cores can write again after a hold has ended.
 *
 * Returns one of these results:
 * - If another migration uses the store: the id of its hold or of its process.
 * - If the hold has ended, or if the data was moved to another store: an empty list.
 * - Otherwise: the number of buckets without a live owner, and the ids of the members that still write.
 *
 * If every bucket has a live owner and no member still writes, no process can write any more. A process that is no
 * longer a member cannot write either: each bucket refuses its writes, because the bucket stores the id of a newer
 * owner (see `Fence`).
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
 * Sets `moved`, the note that the data was moved to another store, and ends the hold. ARGV[1]: id of the caller.
 * ARGV[3]: the new value of `moved`.
 *
 * The caller must have stopped all writes with a hold (a pause of all writes), or must be a member with the state
 * `alone`, which excludes all other members. If neither is true, for example because the hold has ended, changes
 * nothing and returns 0. A repeated call with the same value of `moved` succeeds.
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
