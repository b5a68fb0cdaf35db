import { constants, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CopyableEngine } from '../copyable-engine.ts';
import { StoreDamage } from '../store-damage.ts';
import { damagedTables, hasData } from './data-files.ts';
import { FOUND, FoundFiles, OPENING } from './found-files.ts';
import { LevelDb } from './leveldb.ts';
import { LevelDbStore } from './leveldb-store.ts';

/**
 * A copy of a store, opened without a core process. Tools read a copy, because LevelDB changes the files of a store
 * even if it only reads them.
 */
export interface OfflineCopy {
  engine: CopyableEngine;
  /**
   * Text that describes the damage of the original store, from which the copy was made; undefined if it is intact. The
   * copy of a damaged store contains only the data that could be read.
   */
  damage: string | undefined;
  /**
   * Checks that the original store has not changed since it was copied. Rejects with an Error if it has changed, or if
   * a core uses it.
   */
  checkUnchanged(): Promise<void>;
  /** Closes and deletes the copy of the store. */
  close(): Promise<void>;
}

/**
 * Files of a LevelDB store that can change although the data does not change: the text log, and the lock file, which
 * `checkLock` opens.
 */
const WITHOUT_DATA = ['LOG', 'LOG.old', 'LOCK'];

/**
 * Returns a text with the name, size and modification time of each file of a store. The text changes when the data
 * changes.
 */
function listFiles(directory: string): string {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter(name => !WITHOUT_DATA.includes(name))
    .sort()
    .map(name => {
      const { size, mtimeMs } = statSync(join(directory, name));
      return `${name} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

/** Replaces the content of the directory `copy` with the files of a store. */
function copyFiles(directory: string, copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  cpSync(directory, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
  for (const name of [FOUND, OPENING, 'LOCK']) rmSync(join(copy, name), { recursive: true, force: true });
}

/**
 * Copies a store to the directory `copy`, and opens the copy in the same way as a core opens the store. Rejects with
 * StoreDamage if a core would refuse the store.
 */
async function openWhole(
  directory: string,
  copy: string,
  verify: (engine: CopyableEngine) => Promise<void>,
): Promise<LevelDbStore> {
  copyFiles(directory, copy);
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
 * Opens the data of a damaged store that can still be read. Copies the store to the directory `copy`, deletes damaged
 * tables from the copy, and repairs it. If the store has a subdirectory `found` (the original files of the damaged
 * store), copies these files instead. Rejects with StoreDamage if nothing can be read.
 */
async function salvage(directory: string, copy: string, damage: StoreDamage): Promise<LevelDbStore> {
  const found = join(directory, FOUND);
  copyFiles(existsSync(found) ? found : directory, copy);
  for (const name of damagedTables(copy)) rmSync(join(copy, name));
  try {
    await LevelDb.repair(copy);
    const opened = { db: await LevelDb.open(copy), found: new FoundFiles(copy), state: undefined };
    return new LevelDbStore(copy, opened, () => {});
  } catch {
    throw new StoreDamage(directory, damage.what);
  }
}

/**
 * Copies a store to the directory `copy`, and opens the copy. If the store is damaged, the copy contains only the data
 * that can be read. Rejects if a core uses the store. `verify`: function that checks the data of the copy; it must
 * reject with StoreDamage if the data is damaged.
 */
export async function openOfflineCopy(
  directory: string,
  copy: string,
  verify: (engine: CopyableEngine) => Promise<void>,
): Promise<OfflineCopy> {
  let engine: LevelDbStore;
  let damage: string | undefined;
  const files = listFiles(directory);
  try {
    if (hasData(directory)) await LevelDb.checkLock(directory);
    engine = await openWhole(directory, copy, verify).catch((error: unknown) => {
      if (!(error instanceof StoreDamage)) throw error;
      damage = error.what;
      return salvage(directory, copy, error);
    });
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
  return {
    engine,
    damage,
    async checkUnchanged() {
      if (hasData(directory)) await LevelDb.checkLock(directory);
      if (listFiles(directory) === files) return;
      throw new Error(`the store in ${directory} was changed in the meantime`);
    },
    async close() {
      await engine.close();
      rmSync(copy, { recursive: true, force: true });
    },
  };
}
