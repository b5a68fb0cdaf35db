import { mkdirSync } from 'node:fs';
import { listDamaged, NewerStore, StoreDamage } from '../store-damage.ts';
import { readCheckpoint } from './checkpoint-file.ts';
import { damagedTables, hasData, missingFiles } from './data-files.ts';
import { FoundFiles } from './found-files.ts';
import { LevelDb, saysDamaged } from './leveldb.ts';
import { decodeState, SCHEMA, STATE_KEY, type StoreState } from './store-state.ts';

/** A store that was opened and holds at least the writes it must. */
export interface OpenedStore {
  db: LevelDb;
  /** The files as they were before. */
  found: FoundFiles;
  /** What the store recorded about itself; undefined if it is empty or older than its state. */
  state: StoreState | undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Opens or creates the store in a directory: checks which files are there, the lock, the checksums of all tables, and that
 * the newest writes are not missing. Rejects with StoreDamage, NewerStore, or an Error that names the directory.
 */
export async function openChecked(directory: string): Promise<OpenedStore> {
  try {
    mkdirSync(directory, { recursive: true });
    const missing = missingFiles(directory);
    if (missing !== undefined) throw new StoreDamage(directory, missing);
    const checkpoint = readCheckpoint(directory);
    if (checkpoint && checkpoint.schema > SCHEMA) throw new NewerStore(directory, checkpoint.schema, SCHEMA);
    if (hasData(directory)) await LevelDb.checkLock(directory);
    const damaged = damagedTables(directory).map(name => `the table ${name} does not match its checksums`);
    if (damaged.length > 0) throw new StoreDamage(directory, listDamaged(damaged));
    return await openAtLeast(directory, checkpoint?.sequence);
  } catch (error) {
    if (error instanceof StoreDamage || error instanceof NewerStore) throw error;
    throw new Error(`cannot open the store in ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Opens a directory that nobody else uses and checks that the store holds the write number `least`. Rejects with
 * StoreDamage, NewerStore or in LevelDB's words.
 */
export async function openAtLeast(directory: string, least: number | undefined): Promise<OpenedStore> {
  const found = new FoundFiles(directory);
  let db: LevelDb;
  try {
    db = await LevelDb.open(directory);
  } catch (error) {
    found.dropIfNew();
    if (saysDamaged(error)) throw new StoreDamage(directory, messageOf(error));
    throw error;
  }
  try {
    const state = await readState(directory, db);
    checkSequence(directory, state, least);
    return { db, found, state };
  } catch (error) {
    await db.close();
    if (error instanceof NewerStore) found.drop();
    if (!(error instanceof StoreDamage)) throw error;
    throw new StoreDamage(directory, error.what, found.keep());
  }
}

/** What the store recorded about itself. Rejects with StoreDamage or NewerStore. */
async function readState(directory: string, db: LevelDb): Promise<StoreState | undefined> {
  let value: Buffer | undefined;
  try {
    for await (const entry of db.entries(STATE_KEY, `${STATE_KEY}\0`)) value = entry[1];
  } catch (error) {
    throw new StoreDamage(directory, `it cannot be read: ${messageOf(error)}`);
  }
  if (!value) return undefined;
  const state = decodeState(value);
  if (!state) throw new StoreDamage(directory, 'its state does not match its checksum');
  if (state.schema > SCHEMA) throw new NewerStore(directory, state.schema, SCHEMA);
  return state;
}

function checkSequence(directory: string, state: StoreState | undefined, least: number | undefined): void {
  if (least === undefined || (state && state.sequence >= least)) return;
  if (!state) throw new StoreDamage(directory, 'most of it is missing, and its state is');
  throw new StoreDamage(
    directory,
    `its newest writes are missing: the last is number ${state.sequence}, and number ${least} was on disk`,
  );
}
