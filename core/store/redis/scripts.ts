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

/** Returns a script with this source. */
export function script(source: string): Script {
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
