import { constants, cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageEngine } from '../storage-engine.ts';
import { StoreDamage } from '../store-damage.ts';
import { damagedTables, hasData } from './data-files.ts';
import { FOUND, FoundFiles, OPENING } from './found-files.ts';
import { LevelDb } from './leveldb.ts';
import { LevelDbStore } from './leveldb-store.ts';
import type { OpenedStore } from './open-checked.ts';

/**
 * A copy of a store, opened without a core process. Tools read a copy because LevelDB changes files even when it only
 * reads, and the original files must not change.
 */
export interface OfflineCopy {
  engine: StorageEngine;
  /**
   * Description of the damage; undefined if the store is not damaged. If it is damaged, the copy contains only the
   * readable data.
   */
  damage: string | undefined;
  /** Closes and deletes the copy. */
  close(): Promise<void>;
}

/**
 * Replaces the content of the directory `copy` with the files of a store. If the store is damaged and its original
 * files were preserved (`FoundFiles`), copies the preserved files.
 */
function copyFiles(directory: string, copy: string): void {
  const found = join(directory, FOUND);
  rmSync(copy, { recursive: true, force: true });
  cpSync(existsSync(found) ? found : directory, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
  for (const name of [FOUND, OPENING, 'LOCK']) rmSync(join(copy, name), { recursive: true, force: true });
}

/** Opens the readable part of a damaged store. Changes the files, and drops data that cannot be read. */
async function salvage(copy: string): Promise<OpenedStore> {
  for (const name of damagedTables(copy)) rmSync(join(copy, name));
  await LevelDb.repair(copy);
  return { db: await LevelDb.open(copy), found: new FoundFiles(copy), state: undefined };
}

async function openWhole(
  copy: string,
  verify: (engine: StorageEngine) => Promise<void>,
): Promise<LevelDbStore> {
  const engine = await LevelDbStore.open(copy, () => {});
  try {
    await verify(engine);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Copies a store into the directory `copy` and opens the copy. If the store is damaged, the copy contains only the
 * readable data. Rejects if a core process uses the store, or if nothing can be read. `verify`: loads all entries, and
 * rejects with StoreDamage if they differ from the counts and checksums that the store recorded.
 */
export async function openOfflineCopy(
  directory: string,
  copy: string,
  verify: (engine: StorageEngine) => Promise<void>,
): Promise<OfflineCopy> {
  if (hasData(directory)) await LevelDb.checkLock(directory);
  copyFiles(directory, copy);
  let engine: LevelDbStore;
  let damage: string | undefined;
  try {
    engine = await openWhole(copy, verify);
  } catch (error) {
    if (!(error instanceof StoreDamage)) {
      rmSync(copy, { recursive: true, force: true });
      throw error;
    }
    damage = error.what;
    copyFiles(directory, copy);
    engine = new LevelDbStore(copy, await salvage(copy), () => {});
  }
  return {
    engine,
    damage,
    async close() {
      await engine.close();
      rmSync(copy, { recursive: true, force: true });
    },
  };
}
