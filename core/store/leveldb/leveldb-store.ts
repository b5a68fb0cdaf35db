import type { MovableEngine } from '../copyable-engine.ts';
import type { Counted } from '../counted-prefixes.ts';
import { GroupCommit } from '../group-commit.ts';
import { NoWrites } from '../no-writes.ts';
import { SCHEMA } from '../schema.ts';
import { SetDigest } from '../set-digest.ts';
import type { CountedPut, Operation, StoredEntry, WrittenGroup } from '../storage-engine.ts';
import { StoreDamage } from '../store-damage.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import { FileWatch } from './file-watch.ts';
import type { FoundFiles } from './found-files.ts';
import { LevelDb, saysDamaged } from './leveldb.ts';
import { LoadCheck } from './load-check.ts';
import { type OpenedStore, openAtLeast, openChecked } from './open-checked.ts';
import { countOperation, emptyState, encodeState, STATE_KEY } from './store-state.ts';
import { WrittenKeys } from './written-keys.ts';

/**
 * A group of writes for which no caller waits is written at this number of operations, or after `delayMs` ms. A kill of
 * the core loses such writes of this time, for example status changes. With a delay of 5 ms, most groups of a small
 * fleet had a single record, and a probe took 5 % more CPU time in the core.
 */
const GROUP_LIMITS = { operations: 200, delayMs: 250 };
/** Entries that another process inserted first: always none, because only this process writes to its LevelDB. */
const NO_WINNERS: ReadonlyMap<string, Buffer> = new Map();

/** A storage engine that uses a local LevelDB directory. It has one writer, with group commit. */
export class LevelDbStore implements MovableEngine {
  readonly written = new WrittenKeys();
  readonly #directory: string;
  #db: LevelDb;
  readonly #onFailure: (error: Error) => void;
  readonly #groups: GroupCommit<Operation, void>;
  /** Error of all writes after a failed write, until LevelDB is opened again. Undefined if no write has failed. */
  #failure: NoWrites | undefined;
  /**
   * The reason why the store refuses writes for the moment, although LevelDB could write. Undefined if writes are not
   * paused.
   */
  #pause: NoWrites | undefined;
  /** Sequence number of the newest write that is certainly on disk. */
  #durable = 0;
  /**
   * File with the number of the newest write that is certainly on disk (`#durable`). If the store does not contain this
   * write at the next start, it has lost data. Undefined until all data is loaded.
   */
  #checkpoint: CheckpointFile | undefined;
  #onWritten: (write: WrittenGroup) => void = () => {};
  /**
   * Copies and hard links of the store files as they were before LevelDB opened them. They are kept if the store is
   * damaged. Undefined after their deletion.
   */
  #found: FoundFiles | undefined;
  readonly #loadCheck: LoadCheck;
  readonly #files: FileWatch;
  readonly #state = emptyState();
  readonly #stateBytes: Buffer = encodeState(this.#state);
  /**
   * True if all data of the store is loaded and verified. From then on, each write also stores a `StoreState`, which
   * contains the sequence number of this write and digests of the entries.
   */
  #isLoaded = false;

  /**
   * Creates a store from a LevelDB that is already open. Call this constructor directly only for the repaired copy of a
   * damaged store. In all other cases, call `open`.
   */
  constructor(directory: string, { db, found, state }: OpenedStore, onFailure: (error: Error) => void) {
    this.#directory = directory;
    this.#db = db;
    this.#found = found;
    this.#loadCheck = new LoadCheck(state);
    this.#files = new FileWatch(directory);
    this.#state.sequence = state?.sequence ?? 0;
    this.#onFailure = onFailure;
    this.#groups = new GroupCommit<Operation, void>(GROUP_LIMITS, {
      write: (operations, sync, done) => this.#write(operations, sync, error => done(error, undefined)),
      onWritten: write => this.#onWritten(write),
      onFailure: cause => this.#fail(cause),
    });
  }

  /**
   * Opens or creates the store in a directory. Rejects with StoreDamage, NewerStore, or an Error that names the
   * directory. `onFailure`: called when a write fails. The engine then refuses all writes until `recover` has
   * succeeded.
   */
  static async open(directory: string, onFailure: (error: Error) => void): Promise<LevelDbStore> {
    return new LevelDbStore(directory, await openChecked(directory), onFailure);
  }

  get refusal(): NoWrites | undefined {
    return this.#failure ?? this.#pause;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  async readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    this.#checkOpen();
    try {
      await this.#db.readAll(prefix, `${prefix}\xff`, visit);
    } catch (error) {
      throw this.#readError(error);
    }
  }

  async *entries(prefix: string, after = ''): AsyncGenerator<StoredEntry, undefined> {
    const from = after > prefix ? `${after}\0` : prefix;
    this.#checkOpen();
    try {
      yield* this.#db.entries(from, `${prefix}\xff`);
    } catch (error) {
      throw this.#readError(error);
    }
  }

  async *pieces(after?: string): AsyncGenerator<readonly StoredEntry[], undefined> {
    for await (const entry of this.entries('', after)) if (entry[0] !== STATE_KEY) yield [entry];
  }

  async getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    this.#checkOpen();
    const values = await this.#db.getMany(keys.map(key => Buffer.from(key)));
    const found = new Map<string, Buffer>();
    for (const [i, key] of keys.entries()) {
      const value = values[i];
      if (value) found.set(key, value);
    }
    return found;
  }

  async insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>> {
    await this.commit(entries);
    return NO_WINNERS;
  }

  commit(operations: readonly Operation[]): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    for (const operation of operations) countOperation(this.#state, operation);
    return this.#groups.commit(operations);
  }

  async commitPaused(operations: readonly Operation[]): Promise<void> {
    if (this.#failure) throw this.#failure;
    await this.#groups.commit(operations);
  }

  append(operation: Operation): boolean {
    return this.refusal === undefined && this.#groups.append(operation);
  }

  verify(prefix: Counted, loaded: SetDigest): void {
    const difference = this.#loadCheck.difference(prefix, loaded);
    if (difference !== undefined) throw this.damage(difference);
    this.#state.digests[prefix] = loaded;
  }

  damage(what: string): StoreDamage {
    const kept = this.#found?.keep();
    this.#found = undefined;
    return new StoreDamage(this.#directory, what, kept);
  }

  async finishLoading(): Promise<void> {
    this.#loadCheck.checkComplete();
    await this.reopen();
    this.#createCheckpoint(this.#state.sequence);
    this.#isLoaded = true;
    // Writes the store state to the new log file that `reopen` has created. The state contains digests of the entries.
    // The next start compares the entries with these digests, and so detects lost entries.
    await this.commit([]);
    this.#found?.drop();
    this.#found = undefined;
  }

  pause(reason: string | undefined): void {
    this.#pause = reason === undefined ? undefined : new NoWrites(reason);
  }

  async recover(compare: () => Promise<Operation[]>): Promise<void> {
    if (!this.#failure) return;
    await this.#db.close();
    const { db, found } = await openAtLeast(this.#directory, { sequence: this.#durable });
    this.#db = db;
    try {
      await this.#writePastQueue(await compare());
      this.#createCheckpoint(this.#durable);
    } finally {
      found.drop();
    }
    this.#failure = undefined;
  }

  areFilesGone(): Promise<boolean> {
    return this.#files.isGone();
  }

  resetDigest(prefix: Counted, digest: SetDigest): void {
    this.#state.digests[prefix] = digest;
  }

  digestOf(prefix: Counted): SetDigest {
    const { count, sum } = this.#state.digests[prefix];
    return new SetDigest(count, sum);
  }

  watchWrites(onWritten: (write: WrittenGroup) => void): void {
    this.#onWritten = onWritten;
  }

  /**
   * Closes LevelDB and opens it again, to use less memory. Tables that LevelDB read during loading stay mapped into
   * memory until LevelDB is closed (0.1 GB for a million servers).
   */
  reopen(): Promise<void> {
    return this.#groups.runAlone(async () => {
      await this.#db.close();
      this.#db = await LevelDb.open(this.#directory);
    });
  }

  async close(): Promise<void> {
    const isWhole =
      this.#isLoaded &&
      (await this.commit([]).then(
        () => true,
        () => false,
      ));
    await this.#groups.drain();
    await this.#db.close();
    if (isWhole && !this.failed) this.#checkpoint?.sync();
    this.#checkpoint?.close();
    this.#checkpoint = undefined;
    this.#found?.drop();
  }

  /** Writes a group of operations. Once all data is loaded, adds the state of the store (`StoreState`) to the group. */
  #write(operations: Operation[], sync: boolean, done: (error?: Error) => void): void {
    if (this.#isLoaded) {
      this.#state.sequence++;
      operations.push({ type: 'put', key: STATE_KEY, value: encodeState(this.#state, this.#stateBytes) });
    }
    const { sequence } = this.#state;
    this.#db.write(operations, sync, error => {
      this.written.note(operations);
      if (error || !sync) return done(error ?? undefined);
      try {
        this.#checkpoint?.advance(sequence);
      } catch (fault) {
        return done(fault instanceof Error ? fault : new Error(String(fault)));
      }
      this.#durable = sequence;
      done();
    });
  }

  #writePastQueue(operations: readonly Operation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const sequence = ++this.#state.sequence;
      const state: Operation = { type: 'put', key: STATE_KEY, value: encodeState(this.#state) };
      this.#db.write([...operations, state], true, error => {
        this.written.note(operations);
        if (error) return reject(error);
        this.#durable = sequence;
        resolve();
      });
    });
  }

  #fail(cause: Error): void {
    // After a failed write, the store refuses all further writes: LevelDB would accept them, but lose them at its next
    // start.
    this.#failure = new NoWrites(`a write failed, so the store accepts no more writes: ${cause.message}`);
    this.#groups.rejectAll(this.#failure);
    this.#onFailure(this.#failure);
  }

  #createCheckpoint(sequence: number): void {
    const created = CheckpointFile.create(this.#directory, { schema: SCHEMA, sequence });
    this.#checkpoint?.close();
    this.#checkpoint = created;
  }

  /** Throws NoWrites if LevelDB is closed, because a read from a closed LevelDB can crash the process. */
  #checkOpen(): void {
    if (!this.#db.isOpen) throw this.refusal ?? new NoWrites('the store is closed');
  }

  /**
   * Converts an error of a LevelDB read. During loading, an error about damaged files becomes StoreDamage. Other errors
   * stay unchanged.
   */
  #readError(error: unknown): unknown {
    return this.#found && error instanceof Error && saysDamaged(error)
      ? this.damage(`it cannot be read: ${error.message}`)
      : error;
  }
}
