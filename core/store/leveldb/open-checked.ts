import { mkdirSync } from 'node:fs';
import { SCHEMA } from '../schema.ts';
import { listDamaged, NewerStore, StoreDamage } from '../store-damage.ts';
import { CHECKPOINT, type Checkpoint, readCheckpoint } from './checkpoint-file.ts';
import { currentManifest, hasData, missingFiles } from './data-files.ts';
import { findFaults } from './file-check.ts';
import { FoundFiles } from './found-files.ts';
import { LevelDb, saysDamaged } from './leveldb.ts';
import type { Manifest } from './manifest.ts';
import { decodeState, STATE_KEY, type StoreState } from './store-state.ts';

/** An opened LevelDB store, with the data that `LevelDbStore` needs to use it. */
export interface OpenedStore {
  db: LevelDb;
  /**
   * The files of the store as they were before LevelDB opened it. They are kept because LevelDB can delete or overwrite
   * files with valid data.
   */
  found: FoundFiles;
  /**
   * The state of the store as its last write recorded it, with digests of the entries. Undefined if the store is empty,
   * or if it was written by an old release, because old releases recorded no state.
   */
  state: StoreState | undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Opens or creates the store in a directory, if no other process uses it. Checks that all files and the newest writes
 * are present and intact. Rejects with StoreDamage, NewerStore, or an Error that names the directory.
 */
export async function openChecked(directory: string): Promise<OpenedStore> {
  try {
    mkdirSync(directory, { recursive: true });
    const missing = missingFiles(directory);
    if (missing !== undefined) throw new StoreDamage(directory, missing);
    const checkpoint = readCheckpoint(directory);
    if (checkpoint && checkpoint.schema > SCHEMA) throw new NewerStore(directory, checkpoint.schema, SCHEMA);
    if (!hasData(directory)) return await openAtLeast(directory, checkpoint);
    await LevelDb.checkLock(directory);
    const manifest = currentManifest(directory);
    const faults = findFaults(directory, manifest);
    if (faults.length > 0) throw new StoreDamage(directory, listDamaged(faults));
    return await openAtLeast(directory, checkpoint, manifest);
  } catch (error) {
    if (error instanceof StoreDamage || error instanceof NewerStore) throw error;
    throw new Error(`cannot open the store in ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Opens a store directory that no other process uses, and checks that its newest writes are not missing.
 *
 * - `checkpoint`: contains the sequence number of a write that was already on disk.
 * - `manifest`: content of LevelDB's manifest file, if already read.
 *
 * Rejects with StoreDamage if the store is damaged or has lost this write. Rejects with NewerStore if a later release
 * wrote the store, or with LevelDB's own error.
 */
export async function openAtLeast(
  directory: string,
  checkpoint: Pick<Checkpoint, 'sequence'> | undefined,
  manifest?: Manifest,
): Promise<OpenedStore> {
  const found = new FoundFiles(directory, manifest);
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
    checkSequence(directory, state, checkpoint?.sequence);
    return { db, found, state };
  } catch (error) {
    await db.close();
    if (error instanceof NewerStore) found.drop();
    if (!(error instanceof StoreDamage)) throw error;
    throw new StoreDamage(directory, error.what, found.keep());
  }
}

/**
 * Reads the state that the store recorded about itself. Rejects with StoreDamage if the state is damaged, or with
 * NewerStore if a later release wrote it.
 */
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
  if (least === undefined) {
    // The core creates the checkpoint file before it writes the state of the store (`m/state`) for the first time.
    // Therefore, if the store has a state, the checkpoint file must exist.
    if (state) throw new StoreDamage(directory, `its file ${CHECKPOINT} is missing`);
    return;
  }
  if ((state?.sequence ?? 0) >= least) return;
  if (!state) throw new StoreDamage(directory, 'most of it is missing, also the record of its state');
  throw new StoreDamage(
    directory,
    `its newest writes are missing: the last write is number ${state.sequence}, but number ${least} was already on disk`,
  );
}
