import { HEADER_BYTES, SALT_BYTES } from '../history-blobs/blob-format.ts';
import { FENCED, type Script, script } from './scripts.ts';

/*
 * The Lua scripts of the history in Redis or Valkey. The history is stored in strings (blobs), which
 * core/store/history-blobs/blob-format.ts describes.
 */

/**
 * First part of each Lua script that writes to the history. Refuses the write if the stored fence (which names the
 * owner of the bucket) is not the expected fence. Otherwise, writes the unchanged fence again: the command WAIT waits
 * only after a write, and the rest of the script perhaps writes nothing.
 */
const CHECK_FENCE = `#!lua
local fence = redis.call('GET', KEYS[1])
if fence ~= ARGV[1] then return redis.error_reply('${FENCED} ' .. (fence or '')) end
redis.call('SET', KEYS[1], fence)`;

/**
 * Lua script that appends frames to history blobs (stored strings) of one bucket. A frame is a piece of the history of
 * one server. A blob that already ends with the frames (because the call is repeated) is not changed.
 * - KEYS: the fence (owner) of the bucket, and the blobs.
 * - ARGV: the fence of this core. For each blob: the header for a new blob, the frames, and the expiry time (Unix ms).
 * - Returns one text for each blob: empty if the frames were appended. A blob whose header has a different format or
 *   salt is not changed, and its header is returned.
 */
export const APPEND_SCRIPT: Script = script(`${CHECK_FENCE}
local results = {}
for i = 2, #KEYS do
  local header, frames, expires = ARGV[3 * i - 4], ARGV[3 * i - 3], ARGV[3 * i - 2]
  local stored = redis.call('GETRANGE', KEYS[i], 0, ${HEADER_BYTES - 1})
  results[i - 1] = ''
  if stored == '' then
    redis.call('SET', KEYS[i], header .. frames)
    redis.call('PEXPIREAT', KEYS[i], expires)
  elseif string.sub(stored, 1, 1) ~= string.sub(header, 1, 1)
      or string.sub(stored, -${SALT_BYTES}) ~= string.sub(header, -${SALT_BYTES}) then
    results[i - 1] = stored
  elseif redis.call('GETRANGE', KEYS[i], -#frames, -1) ~= frames then
    redis.call('APPEND', KEYS[i], frames)
    redis.call('PEXPIREAT', KEYS[i], expires)
  end
end
return results`);

/**
 * Lua script that replaces history blobs of one bucket, all or none.
 * - KEYS: the fence (owner) of the bucket, and the blobs.
 * - ARGV: the fence of this core. For each blob: expected length, expiry time (Unix ms), action (`set`, `del` or
 *   `keep`), and new blob.
 * - Returns 1, or 0 if a blob has a different length than expected.
 */
export const REPLACE_SCRIPT: Script = script(`${CHECK_FENCE}
for i = 2, #KEYS do
  if redis.call('STRLEN', KEYS[i]) ~= tonumber(ARGV[4 * i - 6]) then return 0 end
end
for i = 2, #KEYS do
  local expires, act, blob = ARGV[4 * i - 5], ARGV[4 * i - 4], ARGV[4 * i - 3]
  if act == 'del' then redis.call('DEL', KEYS[i]) end
  if act == 'set' then redis.call('SET', KEYS[i], blob) end
  if act ~= 'del' then redis.call('PEXPIREAT', KEYS[i], expires) end
end
return 1`);

/**
 * Lua script that renames a damaged history blob.
 * - KEYS: the fence (owner) of the bucket, the blob, and its new key.
 * - ARGV: the fence of this core, and the first bytes of the damaged blob.
 * - Returns 1, or 0 if the blob is missing or begins with other bytes.
 */
export const SET_ASIDE_SCRIPT: Script = script(`${CHECK_FENCE}
local header = redis.call('GETRANGE', KEYS[2], 0, ${HEADER_BYTES - 1})
if header == '' or header ~= ARGV[2] then return 0 end
redis.call('RENAME', KEYS[2], KEYS[3])
return 1`);

/**
 * Lua script that reads a slice of each history blob of one bucket.
 * - KEYS: the blobs.
 * - ARGV: the first and the last byte of each slice.
 * - Returns three elements for each blob: its length (0 if it is missing), its header and the slice.
 */
export const READ_SCRIPT: Script = script(`#!lua flags=no-writes
local results = {}
for i, key in ipairs(KEYS) do
  local length = redis.call('STRLEN', key)
  results[3 * i - 2] = length
  results[3 * i - 1] = length > 0 and redis.call('GETRANGE', key, 0, ${HEADER_BYTES - 1}) or ''
  results[3 * i] = length > 0 and redis.call('GETRANGE', key, ARGV[2 * i - 1], ARGV[2 * i]) or ''
end
return results`);
