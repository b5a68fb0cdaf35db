import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import leveldown from 'leveldown';
import levelup, { type LevelUp, type OpenOptions, type Operation as Write } from 'levelup';
import { ServiceError } from '../../../proto/service-error.ts';
import type { SetDigest } from '../set-digest.ts';
import { NewerStore, named, StoreDamage } from '../store-damage.ts';
import {
  COUNTED,
  type Counted,
  decodeState,
  emptyState,
  encodeState,
  SCHEMA,
  STATE_KEY,
  type StoreState,
} from './store-state.ts';
import { FoundFiles, hasData, missingFiles, readMark, tornTables, writeMark } from './store-files.ts';

/** A write of one entry. Of those that are counted: the mark of one that comes, and of one that goes. */
export type Operation = Write & { adds?: number; takes?: number };

/** How much unsynced work may gather before it is written, and for how long. */
const GROUP_OPERATIONS = 200;
const GROUP_MS = 5;
/**
 * Table files are mapped into memory and count as this process's, so: as few open as LevelDB can do with (64 and what
 * it needs besides), and small ones.
 */
const OPEN_OPTIONS = { maxOpenFiles: 74, maxFileSize: 1024 * 1024 };
/** Operations that wait for the disk at most, beside those that somebody waits for. */
const MAX_BACKLOG = 20_000;
/** Read at once where everything is read. */
const READ_AHEAD_BYTES = 1024 * 1024;

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

interface Group {
  operations: Operation[];
  /** Whoever asked for durability; the group is synced where there is anyone. */
  waiting: Waiting[];
}

/** A group as it was written. */
export interface WrittenGroup {
  operations: number;
  /** Whether it was made durable. */
  sync: boolean;
  seconds: number;
}

const emptyGroup = (): Group => ({ operations: [], waiting: [] });
const isEmpty = ({ operations, waiting }: Group): boolean => operations.length + waiting.length === 0;

function openEngine(directory: string, options: OpenOptions = OPEN_OPTIONS): Promise<LevelUp> {
  return new Promise((resolve, reject) => {
    // The callback form: a failed open otherwise hangs or kills the process.
    levelup(leveldown(directory), options, (error, db) => (error ? reject(error) : resolve(db)));
  });
}

/** Rejects where another process, or this one, has the store open; looks at nothing but the lock. */
async function checkLock(directory: string): Promise<void> {
  try {
    await openEngine(directory, { ...OPEN_OPTIONS, errorIfExists: true });
  } catch (error) {
    if (!/error_if_exists/.test(reasonOf(error))) throw error;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function closeEngine(db: LevelUp): Promise<void> {
  return new Promise((resolve, reject) => {
    db.close(error => (error ? reject(error) : resolve()));
  });
}

/** The store takes no writes now; nothing of what was to be written is acknowledged. */
export class NoWrites extends ServiceError {
  override name = 'NoWrites';

  constructor(message: string) {
    super('CORE_1', message, { retryAfterSeconds: 10 });
  }
}

/** LevelDB's words for files that are torn or gone; not for a lock, a full disk or a lack of rights. */
const TORN = /corruption|No such file|missing file|CURRENT file/i;

/**
 * The one LevelDB of a core: a single writer with group commit. The only file that knows the engine; levelup and
 * leveldown are superseded by classic-level, which opens the same directory.
 */
export class LevelDbStore {
  readonly #directory: string;
  #db: LevelUp;
  readonly #onFailure: (error: Error) => void;
  #group = emptyGroup();
  #writing = false;
  #timer: NodeJS.Timeout | undefined;
  /** Why the engine is not to be written to any more, until it was opened anew. */
  #failure: NoWrites | undefined;
  /** Why nothing is to be written for now, though the engine could. */
  #pause: NoWrites | undefined;
  #closed = false;
  /** The newest write that is known to be on disk. */
  #durable = 0;
  #idle: (() => void) | undefined;
  #onWritten: (write: WrittenGroup) => void = () => {};
  /** Until all that was read has proved to be what was written. */
  #found: FoundFiles | undefined;
  /** What the store said of itself; undefined where nothing was in it, or only what is older than its state. */
  #read: StoreState | undefined;
  readonly #state = emptyState();
  readonly #expected = new Set<Counted>();
  /** Whether the state goes with what is written. */
  #begun = false;
  readonly #stateBytes: Buffer = encodeState(this.#state);

  private constructor(
    directory: string,
    db: LevelUp,
    found: FoundFiles,
    read: StoreState | undefined,
    onFailure: (error: Error) => void,
  ) {
    this.#directory = directory;
    this.#db = db;
    this.#found = found;
    this.#read = read;
    this.#state.sequence = read?.sequence ?? 0;
    this.#onFailure = onFailure;
  }

  /**
   * Opens or creates the directory. Rejects with what is wrong and where; a second process is refused by
   * LevelDB's lock. `onFailure` is told of the first write error: from then on nothing is written or
   * acknowledged until `recover`, because after one the engine accepts writes that are gone on reopening.
   */
  static async open(directory: string, onFailure: (error: Error) => void): Promise<LevelDbStore> {
    const asOpenError = (error: unknown): Error =>
      new Error(`cannot open the store in ${directory}: ${reasonOf(error)}`, { cause: error });
    try {
      mkdirSync(directory, { recursive: true });
    } catch (error) {
      throw asOpenError(error);
    }
    const missing = missingFiles(directory);
    if (missing !== undefined) throw new StoreDamage(directory, missing);
    const mark = readMark(directory);
    if (mark && mark.schema > SCHEMA) throw new NewerStore(directory, mark.schema, SCHEMA);
    const isNew = !hasData(directory);
    try {
      if (!isNew) await checkLock(directory);
      const torn = tornTables(directory).map(name => `the table ${name} does not match its checksums`);
      if (torn.length > 0) throw new StoreDamage(directory, named(torn));
      const { db, found, read } = await openWhole(directory, mark?.sequence);
      return new LevelDbStore(directory, db, found, read, onFailure);
    } catch (error) {
      if (error instanceof StoreDamage || error instanceof NewerStore) throw error;
      throw asOpenError(error);
    }
  }

  /** From now on `told` hears of every group that was written. */
  watchWrites(told: (write: WrittenGroup) => void): void {
    this.#onWritten = told;
  }

  /**
   * Opens what can be read of a copy of a damaged store, without its torn tables and with a manifest made anew: only
   * ever on a copy, for this changes its files and drops what cannot be read.
   */
  static async salvage(copy: string): Promise<LevelDbStore> {
    for (const name of tornTables(copy)) rmSync(join(copy, name));
    await new Promise<void>((resolve, reject) => {
      leveldown.repair(copy, error => (error ? reject(error) : resolve()));
    });
    return new LevelDbStore(copy, await openEngine(copy), new FoundFiles(copy), undefined, () => {});
  }

  /** Rejects where a process has the store open. */
  static async checkUnused(directory: string): Promise<void> {
    if (hasData(directory)) await checkLock(directory);
  }

  /**
   * Compares what was read of the entries of a prefix with what must be there. Throws StoreDamage; where the store is
   * older than its state, what was read is taken for all there was.
   */
  expect(prefix: Counted, found: SetDigest): void {
    const expected = this.#read?.tallies[prefix];
    if (expected && !expected.equals(found)) throw this.damage(difference(prefix, found, expected));
    this.#state.tallies[prefix] = found;
    this.#expected.add(prefix);
  }

  /** What to throw where entries are not what was written. The files as they were found are kept. */
  damage(what: string): StoreDamage {
    const kept = this.#found?.keep();
    this.#found = undefined;
    return new StoreDamage(this.#directory, what, kept);
  }

  /** All that was read is whole: from now on everything that is written is counted, and checked at the next boot. */
  async begin(): Promise<void> {
    const forgotten = COUNTED.filter(prefix => !this.#expected.has(prefix));
    if (forgotten.length > 0) throw new Error(`nobody has looked at ${forgotten.join(', ')}`);
    this.#begun = true;
    // Into the log that is new since the opening: so whatever older files lose, the newest state is there to tell.
    await this.commit([]);
    this.#mark();
    this.#found?.drop();
    this.#found = undefined;
  }

  #mark(): void {
    writeMark(this.#directory, { schema: SCHEMA, sequence: this.#state.sequence });
  }

  /** Why writes are refused now; undefined while they are taken. */
  get refusal(): NoWrites | undefined {
    return this.#failure ?? this.#pause;
  }

  /** Whether a write has failed and the engine was not opened anew since. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Refuses writes from now on, for a reason that is told to who asks for one; undefined: takes them again. */
  pause(reason: string | undefined): void {
    this.#pause = reason === undefined ? undefined : new NoWrites(reason);
  }

  /**
   * Writes all operations or none, and resolves when they are on disk (fsync). Rejects with NoWrites; where a write
   * failed under way, whether it is on disk shows when the store is opened anew.
   */
  commit(operations: readonly Operation[]): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    return new Promise((resolve, reject) => {
      for (const operation of operations) {
        this.#group.operations.push(operation);
        this.#count(operation);
      }
      this.#group.waiting.push({ resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Writes soon, in order with everything else, without waiting for the disk: for what a kill of this process must
   * not lose but a power cut may. False where it is not: no writes are taken, or the disk is too slow for them. Lost as
   * well where the write fails under way, which `onFailure` tells.
   */
  append(operation: Operation): boolean {
    if (this.refusal || this.#group.operations.length >= MAX_BACKLOG) return false;
    this.#group.operations.push(operation);
    this.#schedule();
    return true;
  }

  #count({ key, adds, takes }: Operation): void {
    if (adds === undefined && takes === undefined) return;
    const tally = this.#state.tallies[key.slice(0, 2) as Counted];
    if (takes !== undefined) tally.take(takes);
    if (adds !== undefined) tally.add(adds);
  }

  /** Every entry whose key starts with `prefix`, in order of keys; with `after`, those behind that key. */
  async *entries(prefix: string, after = ''): AsyncGenerator<[key: string, value: Buffer]> {
    const from = after > prefix ? `${after}\0` : prefix;
    this.#checkOpen();
    try {
      yield* entriesOf(this.#db, from, `${prefix}\xff`);
    } catch (error) {
      throw this.#asRead(error);
    }
  }

  /** The engine may end the process over a read while it is closed. */
  #checkOpen(): void {
    if (this.#closed) throw this.refusal ?? new NoWrites('the store is closed');
  }

  /** What to throw where the engine cannot read: at the start that is damage. */
  #asRead(error: unknown): unknown {
    return this.#found && error instanceof Error && TORN.test(error.message)
      ? this.damage(`it cannot be read: ${error.message}`)
      : error;
  }

  /**
   * Calls `visit` with every entry whose key starts with `prefix`, in order of keys: for very many, without a promise
   * or a wait for each. Rejects with what `visit` throws.
   */
  async each(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    this.#checkOpen();
    const iterator = this.#db.iterator({ gte: prefix, lt: `${prefix}\xff`, highWaterMark: READ_AHEAD_BYTES });
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (): void => {
          iterator.next((error, key, value) => {
            if (error) reject(this.#asRead(error));
            else if (!key || !value) resolve();
            else {
              try {
                visit(key.toString(), value);
              } catch (refusal) {
                reject(refusal);
                return;
              }
              next();
            }
          });
        };
        next();
      });
    } finally {
      await new Promise<void>(resolve => iterator.end(() => resolve()));
    }
  }

  /** Writes what is waiting and closes the engine. */
  async close(): Promise<void> {
    const last = this.#begun ? this.commit([]) : Promise.reject();
    const whole = await last.then(
      () => true,
      () => false,
    );
    await this.#written();
    if (!this.#closed) await closeEngine(this.#db);
    this.#closed = true;
    if (whole && !this.failed) this.#mark();
    this.#found?.drop();
  }

  /**
   * After a write failed: closes the engine, opens it anew and takes writes again. Meanwhile `compare` reads what is
   * there, tells by `recount` how much there has to be, and returns what to write so that it is what was acknowledged.
   * Rejects with StoreDamage where writes that were acknowledged are gone, else as the engine does; then it may be
   * called again.
   */
  async recover(compare: () => Promise<Operation[]>): Promise<void> {
    if (!this.#failure) return;
    if (!this.#closed) await closeEngine(this.#db);
    this.#closed = true;
    const { db, found } = await openWhole(this.#directory, this.#durable);
    this.#db = db;
    this.#closed = false;
    try {
      const operations = await compare();
      await this.#writeState(operations);
    } finally {
      found.drop();
    }
    this.#failure = undefined;
  }

  /** How much there has to be of a prefix, whatever was counted so far. */
  recount(prefix: Counted, tally: SetDigest): void {
    this.#state.tallies[prefix] = tally;
  }

  /** Writes past the queue. */
  #writeState(operations: readonly Operation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const sequence = ++this.#state.sequence;
      const state: Operation = { type: 'put', key: STATE_KEY, value: encodeState(this.#state) };
      this.#db.batch([...operations, state], { sync: true }, error => {
        if (error) return reject(error);
        this.#durable = sequence;
        resolve();
      });
    });
  }

  /**
   * Closes the engine and opens it again, which lets go of the tables that a walk over everything has mapped: of a
   * million servers 0.1 GB. What is written meanwhile waits. Rejects as `open` does.
   */
  async reopen(): Promise<void> {
    await this.#written();
    this.#writing = true;
    this.#closed = true;
    await closeEngine(this.#db);
    this.#db = await openEngine(this.#directory);
    this.#closed = false;
    this.#writing = false;
    this.#flush();
  }

  /** Resolves when nothing is waiting to be written. */
  async #written(): Promise<void> {
    if (isEmpty(this.#group) && !this.#writing) return;
    await new Promise<void>(resolve => {
      this.#idle = resolve;
      this.#flush();
    });
    this.#idle = undefined;
  }

  #schedule(): void {
    if (this.#writing) return;
    if (this.#group.waiting.length > 0 || this.#group.operations.length >= GROUP_OPERATIONS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), GROUP_MS);
  }

  #flush(): void {
    if (this.#writing) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#group;
    if (isEmpty(group)) {
      this.#idle?.();
      return;
    }
    this.#group = emptyGroup();
    this.#writing = true;
    const began = performance.now();
    const sync = group.waiting.length > 0;
    if (this.#begun) {
      this.#state.sequence++;
      // The engine copies it before `batch` returns.
      const value = encodeState(this.#state, this.#stateBytes);
      group.operations.push({ type: 'put', key: STATE_KEY, value });
    }
    const { sequence } = this.#state;
    this.#db.batch(group.operations, { sync }, error => {
      this.#writing = false;
      if (error) {
        this.#fail(error, group);
        return;
      }
      if (sync) this.#durable = sequence;
      for (const waiting of group.waiting) waiting.resolve();
      const seconds = (performance.now() - began) / 1000;
      this.#onWritten({ operations: group.operations.length, sync, seconds });
      // What gathered while this group was on its way is due at once.
      this.#flush();
    });
  }

  #fail(cause: Error, group: Group): void {
    const failure = new NoWrites(`the store refused a write and takes no more: ${cause.message}`);
    this.#failure = failure;
    for (const waiting of [...group.waiting, ...this.#group.waiting]) waiting.reject(failure);
    this.#group = emptyGroup();
    this.#idle?.();
    this.#onFailure(failure);
  }
}

async function* entriesOf(
  db: LevelUp,
  from: string,
  to: string,
): AsyncGenerator<[key: string, value: Buffer]> {
  const iterator = db.iterator({ gte: from, lt: to });
  try {
    for (;;) {
      const entry = await new Promise<[string, Buffer] | undefined>((resolve, reject) => {
        iterator.next((error, key, value) => {
          if (error) reject(error);
          else resolve(key && value ? [key.toString(), value] : undefined);
        });
      });
      if (!entry) return;
      yield entry;
    }
  } finally {
    await new Promise<void>(resolve => iterator.end(() => resolve()));
  }
}

interface Opened {
  db: LevelUp;
  found: FoundFiles;
  read: StoreState | undefined;
}

/**
 * Opens the engine on files that nobody else uses and looks whether it has come to the write `least`. Rejects with
 * StoreDamage, NewerStore or what the engine says.
 */
async function openWhole(directory: string, least: number | undefined): Promise<Opened> {
  const found = new FoundFiles(directory);
  let db: LevelUp;
  try {
    db = await openEngine(directory);
  } catch (error) {
    found.dropMine();
    if (TORN.test(reasonOf(error))) throw new StoreDamage(directory, reasonOf(error));
    throw error;
  }
  try {
    return { db, found, read: await readState(directory, db, least) };
  } catch (error) {
    await closeEngine(db);
    if (error instanceof NewerStore) found.drop();
    if (!(error instanceof StoreDamage)) throw error;
    throw new StoreDamage(directory, error.what, found.keep());
  }
}

/** What the store says of itself. Rejects with StoreDamage or NewerStore; `least`: the write it must have come to. */
async function readState(
  directory: string,
  db: LevelUp,
  least: number | undefined,
): Promise<StoreState | undefined> {
  let state: StoreState | undefined;
  try {
    for await (const [, value] of entriesOf(db, STATE_KEY, `${STATE_KEY}\0`)) {
      state = decodeState(value);
      if (!state) throw new StoreDamage(directory, 'what it says of itself does not match its checksum');
    }
  } catch (error) {
    if (error instanceof StoreDamage || !(error instanceof Error)) throw error;
    throw new StoreDamage(directory, `it cannot be read: ${error.message}`);
  }
  if (state && state.schema > SCHEMA) throw new NewerStore(directory, state.schema, SCHEMA);
  if (least === undefined) return state;
  if (!state) throw new StoreDamage(directory, 'most of it is missing, and its state is');
  if (state.sequence >= least) return state;
  throw new StoreDamage(
    directory,
    `its newest writes are missing: it ends with number ${state.sequence}, and had come to ${least}`,
  );
}

const NOUNS: Record<Counted, string> = { 's/': 'servers', 't/': 'tokens', 'c/': 'credentials of servers' };

function difference(prefix: Counted, found: SetDigest, expected: SetDigest): string {
  const missing = expected.count - found.count;
  if (missing > 0) return `${missing} of its ${expected.count} ${NOUNS[prefix]} are missing`;
  if (missing < 0) return `it holds ${found.count} ${NOUNS[prefix]}, and ${expected.count} were written`;
  return `some of its ${expected.count} ${NOUNS[prefix]} are others than were written`;
}
