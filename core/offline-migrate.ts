import { existsSync, renameSync, rmSync } from 'node:fs';
import { ConfigError } from '../runtime/config.ts';
import { reasonOf } from '../runtime/error-words.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/log.ts';
import { storeError } from './core-settings.ts';
import { EMBEDDED, openDistributedAlone, openEmbedded, storeDirectory } from './engine.ts';
import { makeMigrationCopy } from './migration/copy-directory.ts';
import {
  checkUnfinished,
  Migration,
  type MigrationResult,
  type MigrationSide,
  removeCopied,
  type ShowProgress,
} from './migration/migrate.ts';
import { openOffline } from './offline-store.ts';
import type { CopyableEngine } from './store/copyable-engine.ts';
import { parseEngineUrl } from './store/redis/engine-url.ts';
import { OwnedElsewhere } from './store/redis/owned-store.ts';
import { verifyData } from './verify-data.ts';

/** An opened side (source or target) of a migration. */
interface OpenedSide extends MigrationSide {
  /** Rejects if somebody has changed the store since it was opened. */
  checkUnchanged(): Promise<void>;
  /** One message for each key file of the data directory (such as token.key) that does not fit the stored data. */
  keyFaults: readonly string[];
  close(): Promise<void>;
}

/** First characters of the id of a `gsq migrate` process. The ids of cores do not start with this text. */
const PROGRAM = 'gsq-migrate:';
/**
 * Longest time that a migration waits for a Redis or Valkey that cannot be reached, or that another migration uses, in
 * milliseconds. It is longer than a lease, so the lease of a killed migration ends within this time.
 */
const PATIENCE_MS = 10_000;

/**
 * Returns how long a migration waits until it can use a store alone, in milliseconds. `user`: id of a process that uses
 * the store; undefined if the storage engine cannot be reached. The migration does not wait for a running core, but for
 * the end of another migration.
 */
function patience(user: string | undefined): number {
  return user === undefined || user.startsWith(PROGRAM) ? PATIENCE_MS : 0;
}

/** Checks the URL of a Redis or Valkey, and returns it without secrets. Throws ConfigError if it is not valid. */
function shownUrl(url: string, option: string): string {
  try {
    return parseEngineUrl(url).shown;
  } catch (error) {
    throw new ConfigError(`${option}: the URL is not valid: ${reasonOf(error)}`);
  }
}

async function openRedis(url: string, option: string): Promise<OpenedSide> {
  const name = `the store at ${shownUrl(url, option)}`;
  const lose = (error: Error): never => {
    process.stderr.write(`gsq: ${name} is lost: ${error.message}; run the command again\n`);
    process.exit(exitStatus.failed);
  };
  const engine = await openDistributedAlone({
    url,
    log: createLogger('migrate', 'silent'),
    program: PROGRAM,
    patience,
    onFailure: () => {},
    onLost: lose,
  }).catch((error: unknown) => {
    if (!(error instanceof OwnedElsewhere)) throw new ConfigError(`${option}: ${reasonOf(error)}`);
    throw new ConfigError(
      `${option}: ${error.message}. Stop all cores first. If this one was killed, its lease ends within 10 seconds`,
    );
  });
  return { name, engine, keyFaults: [], checkUnchanged: async () => {}, close: () => engine.close() };
}

const embeddedName = (directory: string): string => `the store in ${storeDirectory(directory)}`;

function asStoreError(directory: string): (error: unknown) => never {
  return error => {
    throw storeError({ GSQ_STORE: EMBEDDED, GSQ_DATA_DIR: directory }, error);
  };
}

/** Opens a copy of the embedded store as the source of a migration, so that the files of the store do not change. */
async function openEmbeddedSource(directory: string): Promise<OpenedSide> {
  if (!existsSync(storeDirectory(directory)))
    throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
  const store = await openOffline(directory, makeMigrationCopy(directory)).catch(asStoreError(directory));
  if (store.faults.length > 0) {
    await store.close();
    throw new ConfigError(`GSQ_DATA_DIR: the store in ${directory} is damaged: ${store.faults.join('; ')}`);
  }
  const { engine, keyFaults } = store;
  return {
    name: embeddedName(directory),
    engine,
    keyFaults,
    checkUnchanged: () => store.checkUnchanged().catch(asStoreError(directory)),
    close: () => store.close(),
  };
}

async function openEmbeddedTarget(directory: string): Promise<OpenedSide> {
  const engine = await openEmbedded(storeDirectory(directory), () => {}).catch(asStoreError(directory));
  const name = embeddedName(directory);
  return { name, engine, keyFaults: [], checkUnchanged: async () => {}, close: () => engine.close() };
}

/** What `gsq migrate` reports: the names of both stores without secrets, and what the migration did. */
export type MigrateReport = MigrationResult & { from: string; to: string };

/** Opens the source or target of a migration, runs `work` with it, and closes it even if `work` fails. */
async function withSide<T>(side: Promise<OpenedSide>, work: (side: OpenedSide) => Promise<T>): Promise<T> {
  const opened = await side;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/**
 * Copies the store `from` to the store `to`: `leveldb`, or the URL of a Redis or Valkey. The embedded store is the one
 * of the data directory. Rejects like `Migration.run`.
 */
export async function migrateStore(
  { from, to, directory }: { from: string; to: string; directory: string },
  onProgress: ShowProgress,
): Promise<MigrateReport> {
  const load = async (engine: CopyableEngine): Promise<void> => void (await verifyData(engine, directory));
  const run = async (source: OpenedSide, target: OpenedSide): Promise<MigrateReport> => {
    const checkSource = (): Promise<void> => source.checkUnchanged();
    const result = await new Migration({ source, target, load, checkSource, onProgress }).run();
    return { from: source.name, to: target.name, ...result };
  };
  // The embedded store is copied or checked before this process opens the Redis or Valkey. The reason: the copying blocks
  // the process, which could then not renew its lease. A new embedded store is created only when
  // the source is known to be usable.
  if (from === EMBEDDED) {
    return withSide(openEmbeddedSource(directory), source => {
      refuseKeyFaults(source.keyFaults);
      return withSide(openRedis(to, '--to'), target => run(source, target));
    });
  }
  const found = existsSync(storeDirectory(directory)) ? await openEmbeddedTarget(directory) : undefined;
  try {
    return await withSide(openRedis(from, '--from'), async source => {
      refuseKeyFaults(await verifyData(source.engine, directory));
      if (found) return run(source, found);
      return withSide(openEmbeddedTarget(directory), created => run(source, created));
    });
  } finally {
    await found?.close();
  }
}

/**
 * Throws ConfigError if there are faults of key files. The migration does not copy key files, so those of the data
 * directory must already fit the stored data.
 */
function refuseKeyFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}

/** Removes the data that an unfinished migration has copied to a store. Resolves to the number of removed entries. */
export async function abortMigration(
  to: string,
  directory: string,
  onProgress: ShowProgress,
): Promise<{ to: string; removed: number }> {
  if (to !== EMBEDDED) {
    const target = await openRedis(to, '--to');
    try {
      return { to: target.name, removed: await removeCopied(target, onProgress) };
    } finally {
      await target.close();
    }
  }
  if (!existsSync(storeDirectory(directory)))
    throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
  const target = await openEmbeddedTarget(directory);
  let removed = 0;
  try {
    await checkUnfinished(target);
    for await (const piece of target.engine.pieces()) removed += piece.length;
  } finally {
    await target.close();
  }
  // The store is renamed before it is removed, so that no core can open a half-removed store.
  const gone = `${storeDirectory(directory)}.aborted`;
  rmSync(gone, { recursive: true, force: true });
  renameSync(storeDirectory(directory), gone);
  rmSync(gone, { recursive: true, force: true });
  return { to: target.name, removed: removed - 1 };
}
