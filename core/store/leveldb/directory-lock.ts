import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../runtime/log.ts';
import { LevelDb, saysDamaged } from './leveldb.ts';

/** File with a random id that Linux chooses at each boot. Source: random(4). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The file of a LevelDB directory that LevelDB locks. */
const LOCK_FILE = 'LOCK';
const HOLDER_KEY = Buffer.from('holder');

/** Describes the core process that has or had a `DirectoryLock`. Stored as JSON under the key `HOLDER_KEY`. */
interface Holder {
  /** Id of the core process that has or had the lock. */
  id: string;
  /**
   * Boot id of the machine, and device and inode number of the lock file. This text differs in each copy of the
   * directory.
   */
  place: string;
}

/**
 * A lock on the data directory of a core in a cluster. It proves that the previous core process with this data
 * directory has ended: the operating system keeps the lock until the end of the process that holds it.
 *
 * The lock and the id of the core are in a small LevelDB directory, because LevelDB locks its directories.
 */
export class DirectoryLock {
  /**
   * Id of the previous core process with this data directory, if it has certainly ended. Undefined if this is not
   * certain.
   */
  readonly former: string | undefined;
  readonly #db: LevelDb;

  private constructor(db: LevelDb, former: string | undefined) {
    this.#db = db;
    this.former = former;
  }

  /**
   * Locks a data directory, and stores the id of this core in it. Resolves to undefined if this fails, because a core
   * works without this lock too. It fails if another process holds the lock, if the directory is not writable, or if
   * the system is not Linux.
   */
  static async take(dataDirectory: string, id: string, log: Logger): Promise<DirectoryLock | undefined> {
    const note = (error: unknown): undefined =>
      void log.info(
        { err: error },
        'GSQ_DATA_DIR: this core cannot lock the folder "member". If it is killed, its servers wait until its lease ends',
      );
    try {
      const boot = bootId();
      mkdirSync(dataDirectory, { recursive: true });
      const directory = join(dataDirectory, 'member');
      const db = await openOrReplace(directory);
      // From here on, keeps the lock even after an error, because the directory can already contain the id of this
      // process. If another process got the lock, it would conclude that this process has ended.
      return new DirectoryLock(db, await exchangeIds(db, directory, boot, id).catch(note));
    } catch (error) {
      return note(error);
    }
  }

  release(): Promise<void> {
    return this.#db.close();
  }
}

function bootId(): string {
  const id = readFileSync(BOOT_ID, 'latin1').trim();
  if (!UUID.test(id)) throw new Error(`${BOOT_ID} contains no UUID`);
  return id;
}

/**
 * Opens the LevelDB directory of the lock. If the directory is damaged, empties it first: the core id in it is lost,
 * but it is only needed after a crash. Never deletes the lock file, because another process can already have locked
 * this file.
 */
async function openOrReplace(directory: string): Promise<LevelDb> {
  try {
    return await LevelDb.open(directory);
  } catch (error) {
    if (!saysDamaged(error)) throw error;
    for (const name of readdirSync(directory))
      if (name !== LOCK_FILE) rmSync(join(directory, name), { recursive: true });
    return LevelDb.open(directory);
  }
}

/**
 * Stores the id of this core in the locked directory. Resolves to the id that was stored before, or to undefined if
 * that id was stored with another boot id or another lock file. In this case, the directory may be a copy from another
 * place, where the core with that id may still run.
 */
async function exchangeIds(
  db: LevelDb,
  directory: string,
  boot: string,
  id: string,
): Promise<string | undefined> {
  const { dev, ino } = statSync(join(directory, LOCK_FILE), { bigint: true });
  const place = `${boot} ${dev}-${ino}`;
  const [last] = await db.getMany([HOLDER_KEY]);
  const value = Buffer.from(JSON.stringify({ id, place } satisfies Holder));
  await db.writeDurably([{ type: 'put', key: HOLDER_KEY, value }]);
  const holder = last && holderOf(last);
  return holder?.place === place ? holder.id : undefined;
}

function holderOf(value: Buffer): Partial<Holder> | undefined {
  try {
    return JSON.parse(value.toString()) as Partial<Holder>;
  } catch {
    return undefined;
  }
}
