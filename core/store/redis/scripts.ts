import { createHash } from 'node:crypto';

/** A Lua script that Redis or Valkey executes atomically on the keys of one bucket (part of the store). */
export interface Script {
  source: string;
  /** SHA-1 of the script's source. The command EVALSHA uses it in place of the source. */
  sha: string;
}

/**
 * Error code with which a Lua script refuses a write if the stored fence of the bucket differs from the expected fence.
 * A fence names the owner of a bucket. The error message consists of this code and the stored fence.
 */
export const FENCED = 'FENCED';

/**
 * Creates a `Script` from the source text of a Lua script. The text must start with `#!lua`: then, a Redis server that
 * cannot write refuses the whole script. Without `#!lua`, the server could stop the script after half of its writes.
 */
export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/**
 * Lua script that writes entries of one kind to a bucket. The core uses it for its most frequent writes.
 * - KEYS: the fence (it names the bucket's owner), and the Redis hash that contains the entries of this kind.
 * - ARGV: the expected fence, then the field and the value of each entry.
 * - If the stored fence differs from the expected fence, writes nothing and returns the error `FENCED`.
 */
export const PUT_SCRIPT: Script = script(`#!lua
local fence = redis.call('GET', KEYS[1])
if fence ~= ARGV[1] then return redis.error_reply('${FENCED} ' .. (fence or '')) end
redis.call('HSET', KEYS[2], unpack(ARGV, 2))
return 1`);

/**
 * Lua script that executes operations on entries of one bucket, in their order. An `insert` does not change an existing
 * value.
 *
 * KEYS: the fence (it names the bucket's owner), then one Redis hash for each kind of entries.
 *
 * ARGV: the expected fence, then groups of operations of the same type on the same hash. A group consists of:
 * - the type: `put`, `del` or `insert`
 * - the index of the hash in KEYS
 * - the number of the arguments that follow in this group
 * - the field and the value of each entry; for `del`, only the field
 *
 * Returns two values for each `insert` that found a different stored value: its position among the inserts (counted
 * from 1), and the stored value. The script also writes the unchanged fence, because the command WAIT waits only after
 * a write.
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
 * Source of a Lua script that gives a bucket to a new owner: it stores a new fence, which contains the epoch and the id
 * of this owner.
 * - KEYS: the fence. ARGV: the new fence, and its epoch.
 * - If the bucket already has a different fence with the same or a higher epoch, the script changes nothing and returns
 *   this stored fence.
 */
const RAISE = `
local fence = redis.call('GET', KEYS[1])
if fence and fence ~= ARGV[1] then
  local epoch = tonumber(string.match(fence, '^%d+'))
  if not epoch or epoch >= tonumber(ARGV[2]) then return fence end
end
redis.call('SET', KEYS[1], ARGV[1])
return false`;

/** Lua script that stores a fence, but not on a node whose memory is full. See RAISE. */
export const RAISE_SCRIPT: Script = script(`#!lua${RAISE}`);

/**
 * Lua script that stores a fence even if the memory of the node is full. Without it, no core could acquire the buckets
 * of a killed core while the memory is full. See RAISE.
 */
export const TAKE_SCRIPT: Script = script(`#!lua flags=allow-oom${RAISE}`);
