import { createHash, type Hash, randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bucketOfServer, SERVER_BUCKETS } from '../cluster/buckets.ts';
import { SERVERS } from '../servers/server-entry.ts';
import type { CopyableEngine } from '../store/copyable-engine.ts';
import {
  historyEntries,
  OfflineHistory,
  RestoredHistory,
  secretOf,
} from '../store/history/history-backup.ts';
import { decodeIncident, decodeTime, hashIn, isMark, openEntry } from '../store/history/history-entries.ts';
import { KEY_BYTES } from '../store/history/history-key.ts';
import { isHistoryPath, periodAt, REMOVED as REMOVED_PATH } from '../store/history/periods.ts';
import { blobLines } from '../store/history-blobs/blob-lines.ts';
import { BlobReader, failOnDamage } from '../store/history-blobs/blob-reader.ts';
import type { BlobSlice, BlobStore } from '../store/history-blobs/blob-store.ts';
import { encodeEvents, encodeRemoval, encodeSlots } from '../store/history-blobs/frame-bodies.ts';
import { FrameWriter } from '../store/history-blobs/frame-writer.ts';
import {
  expiryOf,
  incidentMonth,
  namesOfHistory,
  pathOfBlob,
  REMOVED,
  type Retention,
} from '../store/history-blobs/history-periods.ts';
import { MigrationFailed } from './copied-entries.ts';
import type { HistorySource, HistoryTarget } from './copy-history.ts';

/** Number of queued pieces of history data at which the queue is written. Each piece belongs to one server. */
const MOST_QUEUED = 20_000;
/** Maximum number of attempts to write the queued data. Each attempt waits for up to a second. */
const MOST_FLUSHES = 15;
/**
 * Number of buckets (groups of servers) that are read at the same time. It must divide the number of all buckets
 * (SERVER_BUCKETS), because each step reads exactly this number.
 */
const BUCKETS_AT_ONCE = 64;
const INCIDENT = 0x49;

/** Yields the keys of all servers in a store. */
export async function* serverKeysOf(engine: CopyableEngine): AsyncGenerator<string> {
  for await (const piece of engine.pieces())
    for (const [key] of piece) if (key.startsWith(SERVERS)) yield key.slice(SERVERS.length);
}

/**
 * Returns a migration source that reads the history from a directory. No other process may use this directory. `fail`:
 * called with a description if the history cannot be read.
 */
export function directorySource(directory: string, fail: (fault: string) => never): HistorySource {
  return {
    versions: async () => new Map(),
    async *lines(paths) {
      const history = new OfflineHistory(directory, undefined, fail);
      try {
        yield* history.lines(paths);
      } finally {
        await history.close();
      }
    },
  };
}

/**
 * Returns the history in `directory` as the target of a migration. The migration writes to the new directory
 * `<directory>.migrating`, and renames it to `directory` at the end. An existing history is renamed to
 * `<directory>.old` first.
 */
export function directoryTarget(directory: string): HistoryTarget {
  const unfinished = `${directory}.migrating`;
  const restored = new RestoredHistory(unfinished);
  return {
    async clear(paths) {
      const directories = paths ? Array.from(paths, path => join(unfinished, path)) : [unfinished];
      for (const each of directories) rmSync(each, { recursive: true, force: true });
    },
    keeps: () => true,
    add: line => restored.add(line),
    finish: () => restored.close(),
    async *lines(_secret, paths) {
      const fail = (fault: string): never => {
        throw new MigrationFailed(`${fault}; run the command again`);
      };
      yield* directorySource(unfinished, fail).lines(paths);
    },
    async complete() {
      if (!existsSync(unfinished)) return;
      let old = `${directory}.old`;
      for (let i = 2; existsSync(old); i++) old = `${directory}.old-${i}`;
      if (existsSync(directory)) renameSync(directory, old);
      renameSync(unfinished, directory);
    },
  };
}

/** Dependencies of a migration that reads or writes the history in a storage engine. */
export interface BlobsSide {
  blobs: BlobStore;
  /** Returns the keys of all servers in the given buckets. */
  serverKeys: (buckets: readonly number[]) => Promise<string[]>;
  retention: Retention;
  now: () => number;
}

/**
 * Returns the names of all history blobs (stored strings) that a storage engine can contain. If `paths` is given,
 * returns only the names of blobs that belong to these history directories.
 */
function namesOf({ retention, now }: BlobsSide, paths?: ReadonlySet<string>): string[] {
  const names = namesOfHistory(retention, now());
  return paths ? names.filter(name => paths.has(pathOfBlob(name))) : names;
}

async function* linesOf(
  side: BlobsSide,
  secret: Buffer,
  paths?: ReadonlySet<string>,
): ReturnType<HistorySource['lines']> {
  yield* blobLines(new BlobReader(side.blobs), side.serverKeys, namesOf(side, paths), secret);
}

/**
 * Calls `work` for each bucket, with the length and the header of each history blob of the bucket. At most
 * BUCKETS_AT_ONCE calls run at the same time. `visit` gets the results in the order of the buckets.
 */
async function visitBuckets<T>(
  { blobs }: BlobsSide,
  names: readonly string[],
  work: (bucket: number, heads: ReadonlyMap<string, BlobSlice>) => T | Promise<T>,
  visit: (result: T) => void = () => {},
): Promise<void> {
  const reader = new BlobReader(blobs);
  const workOn = async (bucket: number): Promise<T> => work(bucket, await reader.headsOf(bucket, names));
  for (let from = 0; from < SERVER_BUCKETS; from += BUCKETS_AT_ONCE) {
    const some = Array.from({ length: BUCKETS_AT_ONCE }, (_, i) => workOn(from + i));
    for (const result of await Promise.all(some)) visit(result);
  }
}

/** Returns the history in a storage engine as the source of a migration. */
export function blobsSource(side: BlobsSide): HistorySource {
  const secret = randomBytes(KEY_BYTES);
  return {
    async versions() {
      const hashes = new Map<string, Hash>();
      const addHeads = (heads: ReadonlyMap<string, BlobSlice>, bucket: number): void => {
        for (const [name, { length, header }] of heads) {
          const hash = hashes.get(pathOfBlob(name)) ?? createHash('sha256');
          hashes.set(pathOfBlob(name), hash.update(`${bucket} ${name} ${length} `).update(header));
        }
      };
      await visitBuckets(
        side,
        namesOf(side),
        (bucket, heads) => () => addHeads(heads, bucket),
        add => add(),
      );
      return new Map(Array.from(hashes, ([path, hash]) => [path, hash.digest('hex')]));
    },
    lines: paths => linesOf(side, secret, paths),
  };
}

/** Deletes the history in a storage engine. If `paths` is given, deletes only the data of these history directories. */
async function clearBlobs(side: BlobsSide, paths?: ReadonlySet<string>): Promise<void> {
  await visitBuckets(side, namesOf(side, paths), async (bucket, heads) => {
    const deletions = Array.from(heads, ([name, { length }]) => ({
      ...{ name, length, act: 'del' as const },
      ...{ blob: Buffer.alloc(0), expiresAt: 0 },
    }));
    if (deletions.length > 0) await side.blobs.replace(bucket, side.blobs.epochOf(bucket) ?? 0, deletions);
  });
}

/** Returns the history in a storage engine as the target of a migration. The migration must own all buckets. */
export function blobsTarget(side: BlobsSide): HistoryTarget {
  const { blobs, retention, now } = side;
  const writer = new FrameWriter({
    blobs,
    expiresAt: name => expiryOf(name, retention, now()),
    onWritten: () => {},
    onDropped: () => {},
    onDamaged: failOnDamage,
  });
  return {
    clear: paths => clearBlobs(side, paths),
    keeps: path => namesOf(side, new Set([path])).length > 0,
    async add(line, keyOf) {
      if (secretOf(line) || !isHistoryPath(line.path)) return;
      for (const [entryKey, value] of historyEntries(line)) {
        const content = openEntry(entryKey, value);
        const key = keyOf(hashIn(entryKey));
        if (!content || key === undefined || isMark(entryKey)) continue;
        const { name, body } = frameOf(line.path, entryKey, content);
        writer.add({ bucket: bucketOfServer(key), name }, key, body);
      }
      if (writer.pending.size >= MOST_QUEUED) await flush(writer);
    },
    finish: () => flush(writer),
    lines: (secret, paths) => linesOf(side, secret, paths),
    async complete() {},
  };
}

/**
 * Writes all queued history data. Repeats a failed write, because the storage engine can be busy, or a replica can be
 * taking over.
 */
async function flush(writer: FrameWriter): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writer.flush();
    } catch (error) {
      if (attempt === MOST_FLUSHES) throw error;
    }
  }
}

/**
 * Converts an entry of a history on disk to the form in which a storage engine keeps it: a piece of a blob. Returns the
 * name of the blob and the bytes of the piece.
 */
function frameOf(path: string, key: Buffer, content: Buffer): { name: string; body: Buffer } {
  if (path === REMOVED_PATH) return { name: REMOVED, body: encodeRemoval(decodeTime(content)) };
  const period = periodAt(path);
  if (period?.tier !== 'days') return { name: path, body: encodeSlots([[key[0] ?? 0, content]]) };
  if (key[0] !== INCIDENT) return { name: path, body: content };
  return {
    name: incidentMonth(period.from).name,
    body: encodeEvents([decodeIncident(key, content)], period.from),
  };
}
