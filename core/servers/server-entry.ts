import { checksumOf } from '../store/set-digest.ts';
import type { CountedPut, Delete } from '../store/storage-engine.ts';
import { encodeRecord } from './record-codec.ts';
import type { ServerRecord } from './server-record.ts';

/** Prefix of the stored keys of servers; the `serverKey` follows. */
export const SERVERS = 's/';

/** The write that stores a new server. Only its key is in the digest: its record may be written late. */
export function serverEntry(record: ServerRecord): CountedPut {
  return {
    type: 'put',
    key: SERVERS + record.key,
    value: encodeRecord(record),
    adds: checksumOf(record.key),
  };
}

/** The write that removes a server by its `serverKey`. */
export function serverDeletion(key: string): Delete {
  return { type: 'del', key: SERVERS + key, removes: checksumOf(key) };
}
