import { createHash } from 'node:crypto';

/** A Lua script that Redis or Valkey executes atomically on the keys of one bucket of the store. */
export interface Script {
  source: string;
  /** SHA-1 of the source of the script, with which the command EVALSHA names the script. */
  sha: string;
}

/**
 * Error code with which a write script refuses a write, if the fence of the bucket is missing or not the expected one.
 * The stored fence follows the code.
 */
export const FENCED = 'FENCED';

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/**
 * All scripts start with `#!lua`. Redis and Valkey then check before a script runs whether the node can write at all
 * (memory full, read-only replica, too few replicas). Without `#!lua`, the node checks at each write, so a script could
 * stop after half of its writes.
 *
 * PUT_SCRIPT writes entries of one kind to a bucket, which is the most frequent write of the core. KEYS: fence, hash.
 * ARGV: expected fence, then field and value of each entry.
 */
export const PUT_SCRIPT: Script = script(`#!lua
local fence = redis.call('GET', KEYS[1])
if fence ~= ARGV[1] then return redis.error_reply('${FENCED} ' .. (fence or '')) end
redis.call('HSET', KEYS[2], unpack(ARGV, 2))
return 1`);

/**
 * Writes any operations on entries of one bucket, in their order. KEYS: fence, then one hash for each kind. ARGV:
 * expected fence, then runs of equal operations. A run is the operation (`put`, `del` or `insert`), the index of its
 * hash in KEYS, the number of the arguments that follow, and these arguments: field and value of each entry, or only
 * the field for `del`. Returns two elements for each entry that `insert` found with a different value: the number of
 * the entry among all entries of `insert` operations, from 1, and the stored value.
 *
 * The script also writes the unchanged fence, so that each call counts as a write. The command WAIT waits only for the
 * last write of its connection. A repeated deletion or insert that was already done writes nothing, so without the
 * fence WAIT would wait for nothing. A `put` does not need this, because HSET always counts as a write.
 */
export const WRITE_SCRIPT: Script = script(`#!lua
local fence = redis.call('GET', KEYS[1])
if fence ~= ARGV[1] then return redis.error_reply('${FENCED} ' .. (fence or '')) end
redis.call('SET', KEYS[1], fence)
local present, inserts, at = {}, 0, 2
while at <= #ARGV do
  local operation, hash = ARGV[at], KEYS[tonumber(ARGV[at + 1])]
  local first, last = at + 3, at + 2 + tonumber(ARGV[at + 2])
  if operation == 'put' then
    redis.call('HSET', hash, unpack(ARGV, first, last))
  elseif operation == 'del' then
    redis.call('HDEL', hash, unpack(ARGV, first, last))
  else
    for i = first, last, 2 do
      inserts = inserts + 1
      if redis.call('HSETNX', hash, ARGV[i], ARGV[i + 1]) == 0 then
        local stored = redis.call('HGET', hash, ARGV[i])
        if stored ~= ARGV[i + 1] then
          present[#present + 1] = inserts
          present[#present + 1] = stored
        end
      end
    end
  end
  at = last + 1
end
return present`);

/**
 * Raises the fence of a bucket, which makes the bucket belong to a new owner. KEYS: fence. ARGV: new fence, its epoch.
 * Sets the new fence if the bucket has no fence, if the epoch of the stored fence is lower, or if the stored fence is
 * equal. Otherwise returns the stored fence.
 */
export const RAISE_SCRIPT: Script = script(`#!lua
local fence = redis.call('GET', KEYS[1])
if fence and fence ~= ARGV[1] then
  local epoch = tonumber(string.match(fence, '^%d+'))
  if not epoch or epoch >= tonumber(ARGV[2]) then return fence end
end
redis.call('SET', KEYS[1], ARGV[1])
return false`);

/**
 * The scripts of the owner lease are allowed to run when the memory of the node is full (allow-oom). Otherwise the owner
 * would lose its lease, and then no core would answer fetches of known servers.
 *
 * Acquires the owner lease. KEYS: lease. ARGV: id of the core, length of the lease in milliseconds, and an epoch that
 * the new epoch must exceed. Returns the new epoch, or the id of the owner if another core has the lease. The time is
 * the clock of the Redis or Valkey node.
 */
export const ACQUIRE_LEASE_SCRIPT: Script = script(`#!lua flags=allow-oom
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch', 'ends')
local owner, epoch, ends = lease[1], tonumber(lease[2] or 0), tonumber(lease[3] or 0)
if owner and owner ~= ARGV[1] and ends > now then return owner end
epoch = math.max(epoch, tonumber(ARGV[3])) + 1
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'epoch', epoch, 'ends', now + tonumber(ARGV[2]))
return epoch`);

/**
 * Renews the owner lease. KEYS: lease. ARGV: id of the core, length of the lease in milliseconds, epoch. Returns 1, or
 * 0 if another core has acquired the lease. A lease that has ended is renewed if no other core has acquired it.
 */
export const RENEW_LEASE_SCRIPT: Script = script(`#!lua flags=allow-oom
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch')
if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[3] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'ends', now + tonumber(ARGV[2]))
return 1`);

/** Ends the owner lease. KEYS: lease. ARGV: id of the core, epoch. Does nothing if another core has the lease. */
export const RELEASE_LEASE_SCRIPT: Script = script(`#!lua flags=allow-oom
local lease = redis.call('HMGET', KEYS[1], 'owner', 'epoch')
if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'ends', 0)
return 1`);

/** The Lua scripts that a new connection loads into its node of Redis or Valkey. */
export const SCRIPTS: readonly Script[] = [
  PUT_SCRIPT,
  WRITE_SCRIPT,
  RAISE_SCRIPT,
  ACQUIRE_LEASE_SCRIPT,
  RENEW_LEASE_SCRIPT,
  RELEASE_LEASE_SCRIPT,
];
