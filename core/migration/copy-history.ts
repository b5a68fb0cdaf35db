import type { BackupHistory } from '../../proto/codec/backup-lines.ts';
import { historyEntries, historyLine, secretOf } from '../store/history/history-backup.ts';
import {
  encodeTime,
  hashIn,
  hashServer,
  isMark,
  openEntry,
  sealEntry,
} from '../store/history/history-entries.ts';
import { REMOVED } from '../store/history/periods.ts';
import { MigrationFailed } from './copied-entries.ts';
import { EntryDigest } from './entry-kinds.ts';
import type { ShowProgress } from './source.ts';

/** Maximum number of removed servers in one backup line of the history. */
const REMOVALS_AT_ONCE = 500;

/**
 * The history of the store from which a migration copies the data. Cores can write to this history during the
 * migration.
 */
export interface HistorySource {
  /**
   * Returns the version of each history directory, keyed by path. A directory gets a new version when its entries
   * change. First waits until all earlier changes are written, so that the versions include them. The map can be empty
   * if no other process changes the history: the versions are then not needed.
   */
  versions(): Promise<ReadonlyMap<string, string>>;
  /**
   * Yields the history as lines of a backup. If `paths` is given, yields only the history directories with these paths.
   * One of the lines contains the secret key of the history; this key is the same in every call.
   */
  lines(paths?: ReadonlySet<string>): AsyncGenerator<BackupHistory>;
}

/** The history of the store to which a migration copies the data. */
export interface HistoryTarget {
  /** Removes the copied history. If `paths` is given, removes only the history directories with these paths. */
  clear(paths?: ReadonlySet<string>): Promise<void>;
  /**
   * The history directory `path` contains the history of one period. Returns true if this store still keeps the history
   * of this period, and false if the period is too old.
   */
  keeps(path: string): boolean;
  /**
   * Writes the history entries of a backup line. `keyOf`: returns the `serverKey` for the hash of a server, or
   * undefined if the server is not copied.
   */
  add(line: BackupHistory, keyOf: KeyOf): Promise<void>;
  /** Resolves when all entries that were passed to `add` are durable. */
  finish(): Promise<void>;
  /**
   * Yields the copied history as lines of a backup. If `paths` is given, yields only the history directories with these
   * paths. The lines contain hashes of servers, which are computed with `secret`.
   */
  lines(secret: Buffer, paths?: ReadonlySet<string>): AsyncGenerator<BackupHistory>;
  /** Replaces the history of the target store by the copied history. */
  complete(): Promise<void>;
}

type KeyOf = (hash: Buffer) => string | undefined;

/** Dependencies of `HistoryCopy`. */
export interface HistoryCopyDependencies {
  source: HistorySource;
  target: HistoryTarget;
  /** Yields the keys of all servers that were copied. The history of other servers is not copied. */
  serverKeys(): AsyncIterable<string>;
  now: () => number;
  onProgress: ShowProgress;
}

/**
 * Copies the history of a store to another store, and compares all copied entries. Needs about 300 bytes of memory for
 * each server.
 */
export class HistoryCopy {
  readonly #dependencies: HistoryCopyDependencies;
  #versions: ReadonlyMap<string, string> = new Map();
  #secret: Buffer | undefined;
  /**
   * `serverKey` of each server whose history was copied, keyed by the hash that stands for the server in the history.
   */
  #keys: ReadonlyMap<string, string> = new Map();
  /** Number of copied entries in each history directory, keyed by its path. */
  readonly #entries = new Map<string, number>();

  constructor(dependencies: HistoryCopyDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Prepares the copy: removes the history that an earlier, unfinished migration has copied. Call this method before
   * any server is copied. `isLive`: true if cores can change the source during the copy. If so, call `copyChanged` at
   * the end, to copy the changed history again.
   */
  async begin(isLive: boolean): Promise<void> {
    const { source, target } = this.#dependencies;
    await target.clear();
    if (isLive) this.#versions = await source.versions();
  }

  /**
   * Copies the whole history, and compares the copy with the source. Rejects with MigrationFailed if a copied entry
   * differs.
   */
  async copyAll(): Promise<void> {
    await this.#copy();
  }

  /**
   * Copies the history directories that have changed since the call of `begin`, and compares each copy with the source.
   * Call this method only when servers can no longer be inserted or removed. Rejects with MigrationFailed if a copied
   * entry differs.
   */
  async copyChanged(): Promise<void> {
    const { source, target } = this.#dependencies;
    const versions = await source.versions();
    const paths = new Set([...this.#versions.keys(), ...versions.keys()]);
    for (const path of paths) if (versions.get(path) === this.#versions.get(path)) paths.delete(path);
    await target.clear(paths);
    for (const path of paths) this.#entries.delete(path);
    const before = this.#keys;
    await this.#copy(paths);
    await this.#removeGone(before);
  }

  /**
   * Finishes the copy: from now on, the copied history is the history of the target store. Returns the number of copied
   * entries.
   */
  async complete(): Promise<number> {
    await this.#dependencies.target.complete();
    return [...this.#entries.values()].reduce((sum, count) => sum + count, 0);
  }

  async #copy(paths?: ReadonlySet<string>): Promise<void> {
    const { source, target, onProgress } = this.#dependencies;
    const copied = new EntryDigest();
    const keyOf: KeyOf = hash => this.#keys.get(hash.toString('latin1'));
    for await (const line of source.lines(paths)) {
      const secret = secretOf(line);
      if (secret) this.#keys = await this.#hashedKeys(secret);
      else if (!target.keeps(line.path)) continue;
      if (!secret || !this.#secret) await target.add(line, keyOf);
      this.#secret ??= secret;
      const count = addTo(copied, line, keyOf);
      if (count > 0) this.#entries.set(line.path, (this.#entries.get(line.path) ?? 0) + count);
      onProgress('copying the history', copied.total, undefined);
    }
    await target.finish();
    if (this.#secret) await this.#compare(copied, this.#secret, keyOf, paths);
  }

  async #compare(
    copied: EntryDigest,
    secret: Buffer,
    keyOf: KeyOf,
    paths?: ReadonlySet<string>,
  ): Promise<void> {
    const { target, onProgress } = this.#dependencies;
    const written = new EntryDigest();
    for await (const line of target.lines(secret, paths)) {
      addTo(written, line, keyOf);
      onProgress('comparing the history', written.total, copied.total);
    }
    if (written.fingerprint !== copied.fingerprint)
      throw new MigrationFailed('the histories of the stores differ; run the command again');
  }

  /**
   * Hides the copied history of servers that were removed from the source during the copy: writes a removal entry for
   * each to the target. Without this entry, a later insert of the server would bring back its old history.
   */
  async #removeGone(before: ReadonlyMap<string, string>): Promise<void> {
    const { target, now } = this.#dependencies;
    const at = encodeTime(now());
    const gone = [...before.keys()]
      .filter(hash => !this.#keys.has(hash))
      .map(hash => Buffer.from(hash, 'latin1'));
    for (let from = 0; from < gone.length; from += REMOVALS_AT_ONCE) {
      const removals = gone
        .slice(from, from + REMOVALS_AT_ONCE)
        .map((hash): [Buffer, Buffer] => [hash, sealEntry(hash, at)]);
      await target.add(historyLine(REMOVED, removals), hash => before.get(hash.toString('latin1')));
    }
    await target.finish();
  }

  async #hashedKeys(secret: Buffer): Promise<Map<string, string>> {
    const keys = new Map<string, string>();
    for await (const key of this.#dependencies.serverKeys())
      keys.set(hashServer(secret, key).toString('latin1'), key);
    return keys;
  }
}

/**
 * Adds the history entries of a backup line to a digest. The content of an entry is added without its checksum. Skips
 * marks (entries without data), damaged entries, and entries of servers that are not copied. Returns the number of
 * added entries.
 */
function addTo(digest: EntryDigest, line: BackupHistory, keyOf: KeyOf): number {
  if (secretOf(line)) return 0;
  let added = 0;
  for (const [key, value] of historyEntries(line)) {
    const content = openEntry(key, value);
    if (!content || isMark(key) || keyOf(hashIn(key)) === undefined) continue;
    digest.add(`${line.path} ${key.toString('hex')}`, content);
    added++;
  }
  return added;
}
