import { type Script, script } from './scripts.ts';

/*
 * The Lua scripts that change the members of the cluster and the owners of buckets. All of them have the keys of
 * `TABLE_KEYS`, which are in one hash slot:
 *
 * KEYS[1], a hash: `version` of the table, and the highest `epoch` of a claim.
 * KEYS[2], a sorted set: the members, with the end of the lease of each as the score, in ms of the clock of the node.
 * KEYS[3], a hash: `<state> <address>` of each member.
 * KEYS[4], a hash: `<epoch> <member>` of each bucket, the owner of the bucket. The lease of the owner can have ended.
 *
 * ARGV[1] is the id of the calling member. ARGV[2] is a random text that becomes a part of a new version. Without it, two
 * different tables could have the same version after a failover that lost the newest changes.
 *
 * The scripts are allowed to run when the memory of the node is full (allow-oom). Otherwise all cores would lose their
 * leases, and then no core would answer fetches of known servers.
 */

/** The keys of the table of owners. `{0}` is the hash tag of bucket 0 (`TABLE_BUCKET`). */
export const TABLE_KEYS: readonly string[] = [
  'gsq-owner:{0}',
  'gsq-owner:{0}:leases',
  'gsq-owner:{0}:members',
  'gsq-owner:{0}:buckets',
];
/** The table of owners is stored in the hash slot of this bucket of the store. */
export const TABLE_BUCKET = 0;

/** Removes the members whose lease has ended. Defines `changeVersion`, which a script calls after a change. */
const PRELUDE = `#!lua flags=allow-oom
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function changeVersion()
  local number = string.match(redis.call('HGET', KEYS[1], 'version') or '0', '^%d+')
  redis.call('HSET', KEYS[1], 'version', string.format('%d-%s', number + 1, ARGV[2]))
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
for _, id in ipairs(ended) do
  redis.call('ZREM', KEYS[2], id)
  redis.call('HDEL', KEYS[3], id)
end
if #ended > 0 then changeVersion() end
`;

/**
 * Joins the cluster or renews a lease. More ARGV: length of the lease in ms, state, address, and the version that the
 * member knows. Returns the id of another member if the caller is not allowed to join: a member with the state `alone`
 * excludes all others. Otherwise returns the version and the time until the lease of another member ends, in ms (-1 if
 * there is no other member). If the version is not the known one, also returns the entries of KEYS[3] and KEYS[4].
 *
 * The script always sets the entry of the member, so that each call counts as a write for which WAIT waits.
 */
export const RENEW_SCRIPT: Script = script(`${PRELUDE}
local isNew = not redis.call('ZSCORE', KEYS[2], ARGV[1])
if isNew or ARGV[4] == 'alone' then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local state = redis.call('HGET', KEYS[3], id) or ''
    if id ~= ARGV[1] and (ARGV[4] == 'alone' or string.sub(state, 1, 6) == 'alone ') then return id end
  end
end
local entry = ARGV[4] .. ' ' .. ARGV[5]
if isNew or redis.call('HGET', KEYS[3], ARGV[1]) ~= entry then changeVersion() end
redis.call('HSET', KEYS[3], ARGV[1], entry)
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
local otherEnds = -1
local first = redis.call('ZRANGE', KEYS[2], 0, 1, 'WITHSCORES')
for i = #first - 1, 1, -2 do
  if first[i] ~= ARGV[1] then otherEnds = first[i + 1] - now end
end
local version = redis.call('HGET', KEYS[1], 'version')
if version == ARGV[6] then return {version, otherEnds} end
return {version, otherEnds, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[4])}`);

/**
 * Makes the caller the owner of buckets. More ARGV: an epoch that the new epoch must exceed, then the buckets. Skips
 * buckets that another live member owns, and all buckets if the lease of the caller has ended. Returns the new epoch and
 * the acquired buckets.
 *
 * A repeated call acquires the same buckets again with a higher epoch. Because it always writes the epoch, WAIT waits
 * for each call.
 */
export const CLAIM_SCRIPT: Script = script(`${PRELUDE}
local epoch = math.max(tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0), tonumber(ARGV[3])) + 1
local mine = string.format('%d %s', epoch, ARGV[1])
local claimed, isFree = {}, {}
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
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
if #claimed > 0 then changeVersion() end
return {epoch, claimed}`);

/** Frees buckets. More ARGV: bucket and epoch of each. Skips buckets that the caller does not own with this epoch. */
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

/** Ends the lease of the caller. Its buckets are then free. */
export const LEAVE_SCRIPT: Script = script(`${PRELUDE}
redis.call('HDEL', KEYS[3], ARGV[1])
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then changeVersion() end
return 1`);
