import type { CopyableEngine } from '../store/copyable-engine.ts';
import { COUNTED, type Counted } from '../store/counted-prefixes.ts';
import { isMarker } from '../store/migration-marker.ts';
import type { SetDigest } from '../store/set-digest.ts';
import type { Operation, StoredEntry } from '../store/storage-engine.ts';
import { countedChecksum, EntryDigest } from './entry-kinds.ts';
import type { Changes, MigrationSource } from './source.ts';

/** Thrown if the target of a migration differs from the source after the copy. */
export class MigrationFailed extends Error {
  override name = 'MigrationFailed';
}

/**
 * Maximum number of entries, and approximate maximum number of bytes, that a migration copies or compares in one batch.
 */
const BATCH_ENTRIES = 8_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Yields the entries of a store in batches, without the markers. A marker is an entry that says that the store was
 * moved, or that it is the target of an unfinished migration.
 */
export async function* batches(
  store: Pick<MigrationSource, 'pieces'>,
): AsyncGenerator<StoredEntry[], undefined> {
  let batch: StoredEntry[] = [];
  let bytes = 0;
  for await (const piece of store.pieces()) {
    for (const entry of piece) {
      if (isMarker(entry[0])) continue;
      batch.push(entry);
      bytes += entry[0].length + entry[1].length;
      if (batch.length < BATCH_ENTRIES && bytes < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Returns the keys of the given store entries. */
export const keysOf = (batch: readonly StoredEntry[]): string[] => batch.map(([key]) => key);

/**
 * Returns the operation that changes an entry in the target of the migration. `stored`: old value of the entry,
 * undefined if the entry is new. `value`: new value; if it is undefined, the operation deletes the entry.
 */
function change(key: string, value: Buffer | undefined, stored: Buffer | undefined): Operation {
  const removes = stored && countedChecksum(key, stored);
  const counted = removes === undefined ? {} : { removes };
  if (!value) return { type: 'del', key, ...counted };
  const adds = countedChecksum(key, value);
  return { type: 'put', key, value, ...counted, ...(adds === undefined ? {} : { adds }) };
}

/** Reports the progress of a step of a migration: the number of entries that this step has finished. */
type OnDone = (done: number) => void;

/** The entries that a migration copies from its source to its target. */
export class CopiedEntries {
  readonly #source: MigrationSource;
  readonly #target: CopyableEngine;
  /** Digest of the entries that the source had during the last call of `copyAll`. */
  #sent = new EntryDigest();
  /** Digest of the entries that the target must contain after all writes of this migration. */
  readonly #expected = new EntryDigest();
  /** Digest of the entries that were read back from the target of the migration. */
  #found = new EntryDigest();
  /** Number of entries that the migration has written to its target. */
  written = 0;
  /** Number of entries that the migration has removed from its target, because its source does not have them. */
  removed = 0;

  constructor(source: MigrationSource, target: CopyableEngine) {
    this.#source = source;
    this.#target = target;
  }

  /** Number and digest (checksum) of the entries in the target of the migration. */
  get digest(): EntryDigest {
    return this.#found;
  }

  /**
   * Reads the entries that an earlier, unfinished run of the migration left in the target. Adds them to the digest of
   * the entries that the target must contain. Call this method before the other methods.
   */
  async noteEarlier(onDone: OnDone): Promise<void> {
    let done = 0;
    for await (const batch of batches(this.#target)) {
      for (const [key, value] of batch) this.#expected.add(key, value);
      done += batch.length;
      onDone(done);
    }
  }

  /** Copies all entries of the migration's source that are missing or different in its target. */
  async copyAll(onDone: OnDone): Promise<void> {
    this.#sent = new EntryDigest();
    let done = 0;
    let writing: Promise<void> = Promise.resolve();
    for await (const batch of batches(this.#source)) {
      const stored = await this.#target.getMany(keysOf(batch));
      const different = batch.filter(([key, value]) => !stored.get(key)?.equals(value));
      for (const [key, value] of batch) this.#sent.add(key, value);
      for (const [key, value] of different) this.#expected.replace(key, stored.get(key), value);
      await writing;
      onDone(done);
      // Does not wait for this write yet: the next batch of entries is read while this batch is being written.
      writing = this.#target.commit(different.map(([key, value]) => change(key, value, stored.get(key))));
      writing.catch(() => {});
      this.written += different.length;
      done += batch.length;
    }
    await writing;
  }

  /**
   * Reads all entries of the migration's target back, and compares each entry with the source. Copies the entries that
   * have changed since they were copied, and removes the entries that the source does not have.
   */
  async compareAll(onDone: OnDone): Promise<void> {
    this.#found = new EntryDigest();
    let done = 0;
    for await (const batch of batches(this.#target)) {
      for (const [key, value] of batch) this.#found.add(key, value);
      const known = await this.#source.getMany(keysOf(batch));
      const different = batch.filter(([key, value]) => !known.get(key)?.equals(value));
      await this.apply({
        entries: different.flatMap(([key]): StoredEntry[] => {
          const value = known.get(key);
          return value ? [[key, value]] : [];
        }),
        removed: keysOf(different).filter(key => !known.has(key)),
        left: 0,
      });
      done += batch.length;
      onDone(done);
    }
  }

  /**
   * Applies changes of the migration's source to its target: copies changed entries and removes deleted ones. Then
   * reads these entries back from the target to check them.
   */
  async apply({ entries, removed }: Changes): Promise<void> {
    const wanted = new Map<string, Buffer | undefined>();
    for (const [key, value] of entries) if (!isMarker(key)) wanted.set(key, value);
    for (const key of removed) if (!isMarker(key)) wanted.set(key, undefined);
    const keys = [...wanted.keys()];
    if (keys.length === 0) return;
    const stored = await this.#target.getMany(keys);
    const different = keys.filter(key => !isSame(wanted.get(key), stored.get(key)));
    if (different.length === 0) return;
    await this.#target.commit(different.map(key => change(key, wanted.get(key), stored.get(key))));
    const found = await this.#target.getMany(different);
    for (const key of different) {
      const value = wanted.get(key);
      if (!isSame(value, found.get(key))) throw differs(key);
      for (const digest of [this.#expected, this.#found]) digest.replace(key, stored.get(key), value);
      if (value) this.written++;
      else this.removed++;
    }
  }

  /**
   * Checks the entries of the target after all writes. Throws MigrationFailed if they are not as expected.
   * `isComplete`: true if the source has not changed since `copyAll`. `kept`: digests (checksums) that the source
   * itself stores; undefined if it stores none.
   */
  check(isComplete: boolean, kept: ReadonlyMap<Counted, SetDigest> | undefined): void {
    const found = this.#found.fingerprint;
    if (found !== this.#expected.fingerprint || (isComplete && found !== this.#sent.fingerprint))
      throw new MigrationFailed('the digests of the stores differ; run the command again');
    for (const prefix of COUNTED) {
      const digest = kept?.get(prefix);
      if (!digest || this.#found.counted(prefix).equals(digest)) continue;
      throw new MigrationFailed(
        `the number or the checksum of the entries ${prefix} differs between the stores; run the command again`,
      );
    }
  }
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

function differs(key: string): MigrationFailed {
  return new MigrationFailed(
    `the entry ${JSON.stringify(key)} differs between the stores; run the command again`,
  );
}
