import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../runtime/config.ts';
import type { CopyableEngine } from '../store/copyable-engine.ts';
import {
  deleteMarker,
  type MigrationMarker,
  type MovedStore,
  putMarker,
  readMarker,
} from '../store/migration-marker.ts';
import { batches, CopiedEntries, keysOf } from './copied-entries.ts';
import type { HistoryCopy } from './copy-history.ts';
import type { CountedKind } from './entry-kinds.ts';
import type { MigrationSource, ShowProgress } from './source.ts';

/** The target of a migration (`gsq migrate`): a store that no core uses. */
export interface MigrationTarget {
  /** Description of the store in words, for messages. Contains no secrets. */
  name: string;
  engine: CopyableEngine;
  /**
   * Checks whether the data of this store was already moved to another store. If it was, resolves to the mark of this
   * move. Otherwise, resolves to undefined.
   */
  moved(): Promise<MovedStore | undefined>;
  /** Deletes the mark which says that the data of this store was moved, so that cores can use the store again. */
  clearMoved(): Promise<void>;
}

export interface MigrationDependencies {
  source: MigrationSource;
  target: MigrationTarget;
  /**
   * Loads the target store in the same way as a starting core, to check its data. Rejects if a core could not start
   * with this data. The load also computes the checksums that the target needs before its first write.
   */
  load(engine: CopyableEngine): Promise<void>;
  /** Copies the history of the servers from the source to the target. */
  history: Pick<HistoryCopy, 'begin' | 'copyAll' | 'copyChanged' | 'complete'>;
  onProgress: ShowProgress;
  /** Returns the time of a monotonic clock in ms. */
  now: () => number;
}

/** Result of a migration of a store: how many entries were copied, and how long the source was read-only. */
export interface MigrationResult {
  /** Number of entries that the source and the target both contain at the end of the migration. */
  entries: number;
  /** Number of entries that this run of the migration wrote. The target already contained the other entries. */
  written: number;
  /** Number of entries that this run removed from the target, because the source does not have them any more. */
  removed: number;
  /** Number of entries of the history that were copied: hours, days, incidents and removals of servers. */
  history: number;
  kinds: CountedKind[];
  /**
   * Time in milliseconds from the moment at which the source became read-only until it was marked as moved. Absent if
   * no core used the source.
   */
  windowMs?: number;
}

/** The source of a migration becomes read-only when at most this many of its changes are left to copy. */
const FEW_CHANGES = 500;
/**
 * Maximum number of times that the migration copies new changes while cores use the source. After that, the source
 * becomes read-only, and the migration copies the last changes.
 */
const MOST_READS = 10_000;

/**
 * Moves all entries of a store (source) to another store (target). Cores can use the source during most of the
 * migration; at the end, the source becomes read-only. No core can open the target before the migration has ended, so
 * cores never write to both stores.
 */
export class Migration {
  readonly #dependencies: MigrationDependencies;
  readonly #copied: CopiedEntries;

  constructor(dependencies: MigrationDependencies) {
    this.#dependencies = dependencies;
    this.#copied = new CopiedEntries(dependencies.source, dependencies.target.engine);
  }

  /**
   * Runs the migration. Rejects with ConfigError if a store is not usable. If the migration fails (MigrationFailed,
   * WindowOver, StoreDamage or NoWrites), no core can use the target until a later run succeeds.
   */
  async run(): Promise<MigrationResult> {
    const { source, target, history, now } = this.#dependencies;
    const marker = await this.#begin();
    await history.begin(source.isLive);
    if (source.isLive) await this.#copyWhileLive();
    const began = now();
    await source.hold();
    await this.#copyLast();
    if (!source.isLive) await history.copyAll();
    // First stores `isClosing` in the target: from now on, the source is perhaps marked as moved. Then marks the source
    // as moved. After a crash between the two writes, `gsq migrate --abort` finds `isClosing` in the target, and then
    // removes the mark if the source has it.
    await target.engine.commit([putMarker({ ...marker, isClosing: true })]);
    await source.commit({ target: target.name, id: marker.id });
    const windowMs = Math.round(now() - began);
    // Copies the changed parts of the history again: cores could still write to the history until the source was marked
    // as moved.
    if (source.isLive) await history.copyChanged();
    const historyEntries = await history.complete();
    await target.engine.commit([deleteMarker()]);
    const { written, removed, digest } = this.#copied;
    const result = { entries: digest.total, written, removed, history: historyEntries, kinds: digest.kinds };
    return source.isLive ? { ...result, windowMs } : result;
  }

  /**
   * Checks the source and the target. Stores a marker in the target, which says that the migration is unfinished.
   * Returns the marker.
   */
  async #begin(): Promise<MigrationMarker> {
    const { source, target, load } = this.#dependencies;
    const found = await readMarker(target.engine);
    this.#checkSource(await source.moved(), found);
    await this.#refuseEmpty();
    if (!found && !(await target.moved())) await this.#refuseOther();
    const marker = found ?? { source: source.name, id: randomUUID(), isClosing: false };
    await load(target.engine);
    await target.engine.finishLoading();
    await target.engine.commit([putMarker(marker)]);
    await target.clearMoved();
    await this.#copied.noteEarlier(done => this.#dependencies.onProgress('continuing', done, undefined));
    return marker;
  }

  #checkSource(moved: MovedStore | undefined, found: MigrationMarker | undefined): void {
    const { source, target } = this.#dependencies;
    if (found && found.source !== source.name) {
      throw new ConfigError(
        `${target.name} is the target of an unfinished migration from a different source, ${found.source}. Remove the copied data first: gsq migrate --abort --to <store>`,
      );
    }
    if (moved && moved.id !== found?.id)
      throw new ConfigError(`the data of ${source.name} was already moved, to ${moved.target}`);
  }

  async #refuseEmpty(): Promise<void> {
    const { source } = this.#dependencies;
    for await (const _batch of batches(source)) return;
    throw new ConfigError(`${source.name} contains no data`);
  }

  /**
   * Rejects with ConfigError if the target contains other data: an entry that the source lacks, or that has a different
   * value in the source.
   */
  async #refuseOther(): Promise<void> {
    const { source, target } = this.#dependencies;
    for await (const batch of batches(target.engine)) {
      const known = await source.getMany(keysOf(batch));
      const other = batch.find(([key, value]) => !known.get(key)?.equals(value));
      if (!other) continue;
      throw new ConfigError(
        `${target.name} already contains other data, for example the entry ${JSON.stringify(other[0])}. Migrate to an empty store`,
      );
    }
  }

  /**
   * Copies all entries while cores still write to the source. Then just a few changes are left to copy, so the source
   * must be read-only for a short time only.
   */
  async #copyWhileLive(): Promise<void> {
    const { source, history } = this.#dependencies;
    await this.#copyAll();
    await history.copyAll();
    await source.settle();
    await this.#follow();
  }

  async #copyAll(): Promise<void> {
    const { onProgress } = this.#dependencies;
    let total = 0;
    await this.#copied.copyAll(done => {
      total = done;
      onProgress('copying', done, undefined);
    });
    await this.#copied.compareAll(done => onProgress('comparing', done, Math.max(done, total)));
  }

  /** Copies the new changes of the source again and again, until only a few are left to copy. */
  async #follow(): Promise<void> {
    const { source, onProgress } = this.#dependencies;
    let done = 0;
    for (let reads = 0; reads < MOST_READS; reads++) {
      const changes = await source.changes();
      if (!changes) return;
      await this.#copied.apply(changes);
      done += changes.entries.length + changes.removed.length;
      onProgress('following changes', done, done + changes.left);
      if (changes.left <= FEW_CHANGES) return;
    }
  }

  /** Copies the last changes of the source, which is read-only now, to the target. Verifies that both are equal. */
  async #copyLast(): Promise<void> {
    const { source, onProgress } = this.#dependencies;
    onProgress('last changes', 0, undefined);
    let changes = source.isLive ? await source.changes() : undefined;
    const isComplete = changes === undefined;
    if (isComplete) await this.#copyAll();
    while (changes) {
      await this.#copied.apply(changes);
      changes = changes.left > 0 ? await source.changes() : undefined;
    }
    this.#copied.check(isComplete, await source.digests());
  }
}

/**
 * Undoes an unfinished migration. Removes the copied entries from the target, calls `release` to make the source usable
 * again, and removes the migration's marker from the target. Resolves to the number of removed entries.
 */
export async function removeCopied(
  target: Pick<MigrationTarget, 'name' | 'engine'>,
  onProgress: ShowProgress,
  release: (marker: MigrationMarker) => Promise<void>,
): Promise<number> {
  let removed = 0;
  const marker = await checkUnfinished(target);
  for await (const batch of batches(target.engine)) {
    await target.engine.commit(keysOf(batch).map(key => ({ type: 'del', key })));
    removed += batch.length;
    onProgress('removing', removed, undefined);
  }
  await release(marker);
  await target.engine.commit([deleteMarker()]);
  return removed;
}

/**
 * Returns the marker that an unfinished migration stored in its target. Rejects with ConfigError if the store has no
 * such marker.
 */
export async function checkUnfinished({
  name,
  engine,
}: Pick<MigrationTarget, 'name' | 'engine'>): Promise<MigrationMarker> {
  const marker = await readMarker(engine);
  if (marker) return marker;
  throw new ConfigError(`${name} is not the target of an unfinished migration; nothing was changed`);
}
