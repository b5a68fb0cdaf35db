import { randomBytes } from 'node:crypto';
import type { BackupHistory } from '../../../proto/codec/backup-lines.ts';
import { bucketOfServer, SERVER_BUCKETS } from '../../cluster/buckets.ts';
import { historyLine, keyLine } from '../history/history-backup.ts';
import {
  daysKey,
  encodeIncident,
  encodeTime,
  hashServer,
  incidentKey,
  sealEntry,
  slotKey,
} from '../history/history-entries.ts';
import { KEY_BYTES } from '../history/history-key.ts';
import { periodAt } from '../history/periods.ts';
import { eventsIn, slotsIn } from './blob-history.ts';
import type { BlobReader } from './blob-reader.ts';
import type { BlobSlice } from './blob-store.ts';
import { type BlobContent, readContents } from './bucket-content.ts';
import { decodeRemoval, visitSlots } from './frame-bodies.ts';
import { pathOfBlob, REMOVED } from './history-periods.ts';

/** Number of buckets (groups of servers) that are read together for a backup: one eighth of all buckets. */
const BUCKETS_AT_ONCE = 512;
/**
 * Number of history entries after which gsq ends a line of the backup. All entries of one server in one blob stay in
 * the same line, so a line can contain more entries than this number.
 */
const PAGE = 500;

/** The keys of the servers in a bucket, and the bucket's history blobs by name. */
interface BucketKeys {
  readonly bucket: number;
  readonly keys: readonly string[];
  readonly blobs: ReadonlyMap<string, BlobSlice>;
}

/** An entry of a history on disk: its key, and its content without a checksum. */
type Entry = readonly [key: Buffer, content: Buffer];

/**
 * Reads the history from a storage engine such as Redis, and yields it as backup lines. An embedded store can restore
 * these lines. `names`: names of the blobs (stored values) to read.
 */
export async function* blobLines(
  reader: BlobReader,
  // Returns the keys of all servers in some buckets.
  serverKeys: (buckets: readonly number[]) => Promise<string[]>,
  names: readonly string[],
  // Secret key with which the backup hashes the keys of servers. If the caller gives no secret key, a new random one is
  // used.
  secret: Buffer = randomBytes(KEY_BYTES),
): AsyncGenerator<BackupHistory> {
  yield keyLine(secret);
  for (let from = 0; from < SERVER_BUCKETS; from += BUCKETS_AT_ONCE) {
    const length = Math.min(BUCKETS_AT_ONCE, SERVER_BUCKETS - from);
    const keys = await serverKeys(Array.from({ length }, (_, i) => from + i));
    const servers = await Promise.all(
      Array.from(byBucket(keys), async ([bucket, keysOfBucket]): Promise<BucketKeys> => {
        return { bucket, keys: keysOfBucket, blobs: await reader.headsOf(bucket, names) };
      }),
    );
    // Orders the backup lines by LevelDB directory. A restore keeps only one directory open, so in this order it opens
    // each directory less often.
    for (const name of names) {
      const some = servers.filter(({ blobs }) => blobs.has(name));
      yield* linesOf(reader, some, name, secret);
    }
  }
}

async function* linesOf(
  reader: BlobReader,
  servers: readonly BucketKeys[],
  name: string,
  secret: Buffer,
): AsyncGenerator<BackupHistory> {
  const path = pathOfBlob(name);
  let entries: [Buffer, Buffer][] = [];
  for (const { bucket, keys } of servers) {
    const [content] = await readContents(reader, bucket, [name]);
    if (!content || content.length === 0) continue;
    for (const key of keys) {
      for (const [entryKey, bytes] of entriesOf(content, name, key, hashServer(secret, key)))
        entries.push([entryKey, sealEntry(entryKey, bytes)]);
      if (entries.length < PAGE) continue;
      yield historyLine(path, entries);
      entries = [];
    }
  }
  if (entries.length > 0) yield historyLine(path, entries);
}

function byBucket(keys: readonly string[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const key of keys) {
    const bucket = bucketOfServer(key);
    const list = found.get(bucket);
    if (list) list.push(key);
    else found.set(bucket, [key]);
  }
  return found;
}

/**
 * Converts the history of one server to entries of a history on disk. `content`: blob (stored value of a storage
 * engine) that contains the history.
 */
function entriesOf(content: BlobContent, name: string, serverKey: string, hash: Buffer): Entry[] {
  const bodies = content.bodiesOf(serverKey);
  if (bodies.length === 0) return [];
  if (name === REMOVED) return [[hash, encodeTime(Math.max(...bodies.map(decodeRemoval)))]];
  const period = periodAt(pathOfBlob(name));
  if (!period) return [];
  if (name.startsWith('incidents/'))
    return eventsIn(period, bodies).map(({ at, reason }) => [incidentKey(hash, at), encodeIncident(reason)]);
  if (period.tier === 'days') return [[daysKey(hash), bodies.at(-1) ?? Buffer.alloc(0)]];
  if (period.tier === 'minutes')
    return [...slotsIn(period, bodies)].map(([slot, samples]) => [slotKey(slot, hash), samples]);
  const slots: Entry[] = [];
  for (const body of bodies)
    visitSlots(body, (slot, figures) => void slots.push([slotKey(slot, hash), figures]));
  return slots;
}
