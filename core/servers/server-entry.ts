import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut, Delete } from '../store/storage-engine.ts';
import { encodeRecord } from './record-codec.ts';
import type { ServerRecord } from './server-record.ts';

/** Prefix of the storage keys of servers. The `serverKey` follows the prefix. */
export const SERVERS = 's/';

/**
 * Returns the write operation that stores a new server. Its checksum (`adds`) covers only the key of the server, so
 * that the removal of the server can subtract the same checksum. A checksum of the record could differ, because the
 * stored record can be older than the record in memory.
 */
export function serverEntry(record: ServerRecord): CountedPut {
  return {
    type: 'put',
    key: SERVERS + record.key,
    value: encodeRecord(record),
    adds: checksumOf(record.key),
  };
}

/** Returns the write that removes the server with this `serverKey`. */
export function serverDeletion(key: string): Delete {
  return { type: 'del', key: SERVERS + key, removes: checksumOf(key) };
}
