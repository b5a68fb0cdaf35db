import { ConfigError } from '../../runtime/config.ts';
import type { CopyableEngine } from '../store/copyable-engine.ts';
import {
  deleteMarker,
  isMarker,
  type MigrationMarker,
  putMarker,
  readMarker,
  refuseUnfinished,
} from '../store/migration-marker.ts';
import type { Operation, StoredEntry } from '../store/storage-engine.ts';
import { type CountedKind, countedChecksum, EntryDigest } from './entry-kinds.ts';

/** The source or the target of a migration (`gsq migrate`): a store and its name. */
export interface MigrationSide {
  /** The store in words for messages, without secrets. */
  name: string;
  engine: CopyableEngine;
}

/**
 * Reports the progress of a migration. `phase`: what the migration does now. `done`: number of entries for which this
 * is done, of `total` entries. `total` is undefined if it is not known yet.
 */
export type ShowProgress = (phase: string, done: number, total: number | undefined) => void;

export interface MigrationDependencies {
  source: MigrationSide;
  target: MigrationSide;
  /**
   * Loads the data of a store like a starting core, so that the store counts its entries. Rejects if a core would
   * refuse the store.
   */
  load(engine: CopyableEngine): Promise<void>;
  /**
   * Called after the migration has compared both stores. Rejects if somebody has changed the source since the migration
   * began.
   */
  checkSource(): Promise<void>;
  onProgress: ShowProgress;
}

/** What a migration of a store did. */
export interface MigrationResult {
  /** Number of entries that are now in both stores. */
  entries: number;
  /** Number of entries that this run of the migration wrote. The target already had the others. */
  written: number;
  /**
   * Number of entries that this run removed from the target. An earlier run had copied them, but the source does not
   * have them any more.
   */
  removed: number;
  kinds: CountedKind[];
}

/** Error if the target of a migration is not equal to the source after the copying. */
export class MigrationFailed extends Error {
  override name = 'MigrationFailed';
}

/** Maximum number of entries, and approximate maximum number of bytes, that a migration copies or compares at once. */
const BATCH_ENTRIES = 8_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Yields the entries of a store in batches, without the marker of an unfinished migration. */
async function* batches(engine: CopyableEngine): AsyncGenerator<StoredEntry[], undefined> {
  let batch: StoredEntry[] = [];
  let bytes = 0;
  for await (const piece of engine.pieces()) {
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

/**
 * Returns the operation that replaces the value `stored` of an entry in the target by `value`. If `value` is undefined,
 * the operation deletes the entry.
 */
function change(key: string, value: Buffer | undefined, stored: Buffer | undefined): Operation {
  const removes = stored && countedChecksum(key, stored);
  const counted = removes === undefined ? {} : { removes };
  if (!value) return { type: 'del', key, ...counted };
  const adds = countedChecksum(key, value);
  return { type: 'put', key, value, ...counted, ...(adds === undefined ? {} : { adds }) };
}

const keysOf = (batch: readonly StoredEntry[]): string[] => batch.map(([key]) => key);

/** One migration: copies all entries of a store (source) to another store (target), and compares both. */
export class Migration {
  readonly #dependencies: MigrationDependencies;
  readonly #source: CopyableEngine;
  readonly #target: CopyableEngine;
  #total = 0;

  constructor(dependencies: MigrationDependencies) {
    this.#dependencies = dependencies;
    this.#source = dependencies.source.engine;
    this.#target = dependencies.target.engine;
  }

  /**
   * Runs the migration. Rejects with ConfigError if the source or the target is not usable, with UnfinishedMigration if
   * the source is itself the incomplete target of another migration, and with MigrationFailed, StoreDamage or NoWrites
   * if the migration fails. Until it succeeds, the target has a marker, and no core uses it.
   */
  async run(): Promise<MigrationResult> {
    const { source, checkSource, load } = this.#dependencies;
    await refuseUnfinished(this.#source);
    const digest = await this.#digestSource();
    this.#total = digest.total;
    if (this.#total === 0) throw new ConfigError(`${source.name} contains no data`);
    const marker: MigrationMarker = { source: source.name, fingerprint: digest.fingerprint };
    const isResumed = await this.#checkTarget(marker);
    await load(this.#target);
    await this.#target.finishLoading();
    await this.#target.commit([putMarker(marker)]);
    const removed = isResumed ? await this.#removeSurplus() : 0;
    const written = await this.#copy();
    const kinds = await this.#compare();
    await checkSource();
    await this.#target.commit([deleteMarker()]);
    return { entries: this.#total, written, removed, kinds };
  }

  async #digestSource(): Promise<EntryDigest> {
    const digest = new EntryDigest();
    let done = 0;
    for await (const batch of batches(this.#source)) {
      for (const [key, value] of batch) digest.add(key, value);
      done += batch.length;
      this.#dependencies.onProgress('reading', done, undefined);
    }
    return digest;
  }

  /**
   * Checks that the target contains nothing that the source does not have. Resolves to true if an earlier run of this
   * migration has begun to fill the target. Then all entries of the target are copies, and can be replaced.
   */
  async #checkTarget(marker: MigrationMarker): Promise<boolean> {
    const { target } = this.#dependencies;
    const found = await readMarker(this.#target);
    if (found) {
      if (found.source === marker.source || found.fingerprint === marker.fingerprint) return true;
      throw new ConfigError(
        `${target.name} is the target of an unfinished migration from a different source, ${found.source}. Remove the copied data first: gsq migrate --abort --to <store>`,
      );
    }
    for await (const batch of batches(this.#target)) {
      const known = await this.#source.getMany(keysOf(batch));
      const other = batch.find(([key, value]) => !known.get(key)?.equals(value));
      if (other) {
        throw new ConfigError(
          `${target.name} already contains other data, for example the entry ${JSON.stringify(other[0])}. Migrate to an empty store`,
        );
      }
    }
    return false;
  }

  /**
   * Removes the entries that an earlier run has copied to the target but the source does not have any more. Returns
   * their number.
   */
  async #removeSurplus(): Promise<number> {
    let removed = 0;
    let done = 0;
    for await (const batch of batches(this.#target)) {
      const known = await this.#source.getMany(keysOf(batch));
      const surplus = batch.filter(([key]) => !known.has(key));
      if (surplus.length > 0)
        await this.#target.commit(surplus.map(([key, value]) => change(key, undefined, value)));
      removed += surplus.length;
      done += batch.length;
      this.#dependencies.onProgress('continuing', done, this.#total);
    }
    return removed;
  }

  /** Copies the entries of the source that are missing or different in the target. Returns their number. */
  async #copy(): Promise<number> {
    let written = 0;
    let done = 0;
    let writing: Promise<void> = Promise.resolve();
    for await (const batch of batches(this.#source)) {
      const stored = await this.#target.getMany(keysOf(batch));
      const operations = batch
        .filter(([key, value]) => !stored.get(key)?.equals(value))
        .map(([key, value]) => change(key, value, stored.get(key)));
      await writing;
      this.#dependencies.onProgress('copying', done, this.#total);
      // The migration does not wait for this write here, so that it reads the next batch while this one is being
      // written.
      writing = this.#target.commit(operations);
      writing.catch(() => {});
      written += operations.length;
      done += batch.length;
    }
    await writing;
    return written;
  }

  /**
   * Reads source and target again, and compares each entry of one store with the other store. Returns the digests of
   * the target.
   */
  async #compare(): Promise<CountedKind[]> {
    const ours = await this.#compareFrom(this.#source, this.#target, 0);
    const theirs = await this.#compareFrom(this.#target, this.#source, this.#total);
    if (ours.fingerprint !== theirs.fingerprint)
      throw new MigrationFailed('the digests of the stores differ');
    return theirs.kinds;
  }

  async #compareFrom(from: CopyableEngine, to: CopyableEngine, before: number): Promise<EntryDigest> {
    const digest = new EntryDigest();
    let done = before;
    for await (const batch of batches(from)) {
      const others = await to.getMany(keysOf(batch));
      for (const [key, value] of batch) {
        if (!others.get(key)?.equals(value)) {
          throw new MigrationFailed(
            `the entry ${JSON.stringify(key)} differs between the stores; run the command again`,
          );
        }
        digest.add(key, value);
      }
      done += batch.length;
      this.#dependencies.onProgress('comparing', done, 2 * this.#total);
    }
    return digest;
  }
}

/**
 * Removes all entries that an unfinished migration has copied to a target, and its marker at the end. Returns the number
 * of removed entries. Rejects with ConfigError if the target is not the target of an unfinished migration.
 */
export async function removeCopied(target: MigrationSide, onProgress: ShowProgress): Promise<number> {
  let removed = 0;
  await checkUnfinished(target);
  for await (const batch of batches(target.engine)) {
    await target.engine.commit(keysOf(batch).map(key => ({ type: 'del', key })));
    removed += batch.length;
    onProgress('removing', removed, undefined);
  }
  await target.engine.commit([deleteMarker()]);
  return removed;
}

/** Rejects with ConfigError if a store is not the target of an unfinished migration. */
export async function checkUnfinished({ name, engine }: MigrationSide): Promise<void> {
  if (await readMarker(engine)) return;
  throw new ConfigError(`${name} is not the target of an unfinished migration; nothing was changed`);
}
