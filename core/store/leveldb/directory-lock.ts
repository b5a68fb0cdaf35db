import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../runtime/log.ts';
import { LevelDb, saysDamaged } from './leveldb.ts';

/** File with a random id that Linux chooses at each boot. Source: random(4). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const HOLDER_KEY = Buffer.from('holder');

/** Content of the entry `HOLDER_KEY`, as JSON. */
interface Holder {
  /** Id of the core process that has or had the lock. */
  id: string;
  /** Boot id of the machine, and device and inode number of the lock file. Differs in each copy of the directory. */
  place: string;
}

/**
 * A lock on the data directory of a core in a cluster. It proves that the previous core process with this data
 * directory has ended: the operating system keeps the lock until the end of the process that holds it.
 *
 * The lock and the id of the core are in a small LevelDB directory, because LevelDB locks its directories.
 */
export class DirectoryLock {
  /** Id of the previous core process with this data directory, which has ended. Undefined if there is no proof. */
  readonly former: string | undefined;
  readonly #db: LevelDb;

  private constructor(db: LevelDb, former: string | undefined) {
    this.#db = db;
    this.former = former;
  }

  /**
   * Locks a data directory, and stores the id of this core in it. Resolves to undefined if this fails, because a core
   * works without this lock too. It fails if another process holds the lock, if the directory is not writable, or if the
   * system is not Linux.
   */
  static async take(dataDirectory: string, id: string, log: Logger): Promise<DirectoryLock | undefined> {
    try {
      return await DirectoryLock.#take(dataDirectory, id);
    } catch (error) {
      log.info(
        { err: error },
        'GSQ_DATA_DIR: this core cannot lock the folder "member". If it is killed, its servers wait until its lease ends',
      );
      return undefined;
    }
  }

  static async #take(dataDirectory: string, id: string): Promise<DirectoryLock> {
    const boot = readFileSync(BOOT_ID, 'latin1').trim();
    mkdirSync(dataDirectory, { recursive: true });
    const directory = join(dataDirectory, 'member');
    const db = await openOrReplace(directory);
    try {
      const { dev, ino } = statSync(join(directory, 'LOCK'), { bigint: true });
      const place = `${boot} ${dev}-${ino}`;
      const [last] = await db.getMany([HOLDER_KEY]);
      const value = Buffer.from(JSON.stringify({ id, place } satisfies Holder));
      await db.writeDurably([{ type: 'put', key: HOLDER_KEY, value }]);
      // In a copy of a data directory, the id can belong to a core that still runs, perhaps on another machine.
      const holder = last && holderOf(last);
      return new DirectoryLock(db, holder?.place === place ? holder.id : undefined);
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  release(): Promise<void> {
    return this.#db.close();
  }
}

/** Opens the LevelDB directory. Deletes a damaged one first, because the id in it is only needed after a crash. */
async function openOrReplace(directory: string): Promise<LevelDb> {
  try {
    return await LevelDb.open(directory);
  } catch (error) {
    if (!saysDamaged(error)) throw error;
    rmSync(directory, { recursive: true });
    return LevelDb.open(directory);
  }
}

function holderOf(value: Buffer): Partial<Holder> | undefined {
  try {
    return JSON.parse(value.toString()) as Partial<Holder>;
  } catch {
    return undefined;
  }
}
