import { existsSync } from 'node:fs';
import { coreSecurity } from '../proto/cluster/core-security.ts';
import { ConfigError } from '../runtime/config.ts';
import { reasonOf } from '../runtime/error-words.ts';
import { internalRoute, internalSecret } from '../runtime/internal-port.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/log.ts';
import { type CoreConfig, storeError } from './core-settings.ts';
import {
  EMBEDDED,
  lockFileOf,
  openDistributedAlone,
  openDistributedShared,
  openEmbedded,
  storeDirectory,
} from './engine.ts';
import type { HistorySource, HistoryTarget } from './migration/copy-history.ts';
import { CoreSource } from './migration/core-source.ts';
import { EngineSource } from './migration/engine-source.ts';
import { HandOver } from './migration/hand-over.ts';
import {
  type BlobsSide,
  blobsSource,
  blobsTarget,
  directorySource,
  directoryTarget,
} from './migration/history-sides.ts';
import type { MigrationTarget } from './migration/migrate.ts';
import type { MigrationSource } from './migration/source.ts';
import { retentionOf } from './open-history.ts';
import { SERVERS } from './servers/server-entry.ts';
import type { MovableEngine } from './store/copyable-engine.ts';
import { historyDirectory } from './store/history/history.ts';
import { deleteMoved, readMoved, refuseUnfinished } from './store/migration-marker.ts';
import { parseEngineUrl } from './store/redis/engine-url.ts';
import { OwnedElsewhere } from './store/redis/owned-store.ts';
import { verifyData } from './verify-data.ts';

/** The source of a migration: an opened store, and the history in this store. */
export interface OpenedSource {
  store: MigrationSource;
  history: HistorySource;
  close(): Promise<void>;
}

/** The target of a migration: an opened store, and the history in this store. */
export interface OpenedTarget extends MigrationTarget {
  history: HistoryTarget;
  close(): Promise<void>;
}

/** First characters of the id of a `gsq migrate` process. The ids of cores do not start with this text. */
const PROGRAM = 'gsq-migrate:';
/**
 * Longest time that a migration waits for a store on Redis or Valkey, ms. It waits if the storage engine is
 * unreachable, or if another migration uses the store. If that migration was killed, its lease on the store ends within
 * this time.
 */
const PATIENCE_MS = 10_000;

const silent = createLogger('migrate', 'silent');

/**
 * Returns the longest time that a migration waits for a store on Redis or Valkey, ms. `user`: id of the process that
 * uses the store; undefined if the storage engine cannot be reached. If `user` is a core, the time is 0: the migration
 * does not wait.
 */
function patience(user: string | undefined): number {
  return user === undefined || user.startsWith(PROGRAM) ? PATIENCE_MS : 0;
}

/** Returns the name of a store on Redis or Valkey, without secrets. Throws ConfigError if the URL is not valid. */
function distributedName(url: string, option: string): string {
  try {
    return `the store at ${parseEngineUrl(url).shown}`;
  } catch (error) {
    throw new ConfigError(`${option}: the URL is not valid: ${reasonOf(error)}`);
  }
}

/** Returns the name of the embedded store of a data directory. */
export const embeddedName = (directory: string): string => `the store in ${storeDirectory(directory)}`;

function openAlone(url: string, option: string): ReturnType<typeof openDistributedAlone> {
  const name = distributedName(url, option);
  const lose = (error: Error): never => {
    process.stderr.write(`gsq: ${name} is lost: ${error.message}; run the command again\n`);
    process.exit(exitStatus.failed);
  };
  return openDistributedAlone({
    ...{ url, log: silent, program: PROGRAM, patience },
    onFailure: () => {},
    onLost: lose,
  });
}

function blobsSide(
  { store, blobs }: Pick<Awaited<ReturnType<typeof openAlone>>, 'store' | 'blobs'>,
  config: CoreConfig,
): BlobsSide {
  const serverKeys = async (buckets: readonly number[]): Promise<string[]> => {
    const keys: string[] = [];
    await store.readBuckets(buckets, SERVERS, key => keys.push(key.slice(SERVERS.length)));
    return keys;
  };
  return { blobs, serverKeys, retention: retentionOf(config), now: Date.now };
}

/**
 * Opens a store on Redis or Valkey as the target of a migration. Rejects with ConfigError if a core uses the store.
 * `whenInUse`: the part of this error that says what to do.
 */
export async function openDistributedTarget(
  config: CoreConfig,
  url: string,
  option: string,
  whenInUse: string,
): Promise<OpenedTarget> {
  const name = distributedName(url, option);
  const opened = await openAlone(url, option).catch((error: unknown) => {
    if (!(error instanceof OwnedElsewhere)) throw new ConfigError(`${option}: ${reasonOf(error)}`);
    throw new ConfigError(`${option}: ${error.message}. ${whenInUse}`);
  });
  const { store: engine, moving } = opened;
  return {
    ...{ name, engine, moved: () => moving.moved(), clearMoved: () => moving.unmove() },
    history: blobsTarget(blobsSide(opened, config)),
    close: () => engine.close(),
  };
}

/**
 * Opens a store on Redis or Valkey as the source of a migration. Cores that use this store keep running. Rejects with
 * ConfigError if another migration uses the store, or if a key file in `directory` (`token.key` or `credentials.key`)
 * contains a different key than the cores of the store use.
 */
export async function openDistributedSource(
  config: CoreConfig,
  url: string,
  option: string,
  directory: string,
): Promise<OpenedSource> {
  const name = distributedName(url, option);
  try {
    const opened = await openAlone(url, option)
      .then(alone => ({ ...alone, hold: undefined }))
      .catch(async (error: unknown) => {
        if (!(error instanceof OwnedElsewhere) || error.user.startsWith(PROGRAM)) throw error;
        const shared = await openDistributedShared({ url, log: silent, program: PROGRAM });
        return { ...shared, moving: shared.hold };
      });
    const { store: engine, moving, hold } = opened;
    const source = new EngineSource({ name, engine, moving, hold });
    return await closeOnError(withHistory(source, blobsSource(blobsSide(opened, config))), async () => {
      await refuseUnfinished(engine);
      refuseKeyFaults(await verifyData(engine, directory));
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${option}: ${reasonOf(error)}`);
  }
}

async function openEmbeddedAlone(directory: string): Promise<MovableEngine> {
  return openEmbedded(storeDirectory(directory), () => {}).catch((error: unknown) => {
    throw storeError({ GSQ_STORE: EMBEDDED, GSQ_DATA_DIR: directory }, error);
  });
}

/**
 * Opens the embedded store of a data directory as the source of a migration. If a core uses the store, the migration
 * reads the store through the internal port of this core. Rejects with ConfigError if the store cannot be used.
 */
export async function openEmbeddedSource(config: CoreConfig, directory: string): Promise<OpenedSource> {
  if (!existsSync(storeDirectory(directory)))
    throw new ConfigError(`GSQ_DATA_DIR: there is no store in ${directory}`);
  const engine = await openEmbeddedAlone(directory).catch((error: unknown) => {
    if (/is in use by another core/.test(reasonOf(error))) return undefined;
    throw error;
  });
  const name = embeddedName(directory);
  if (!engine) return openCoreSource(config, name, directory);
  const source = new HandOver({
    ...{ engine, name, isLive: false },
    hold: () => {},
    writeBehind: async () => {},
    onClosed: () => engine.close(),
  });
  const fail = (fault: string): never => {
    throw new ConfigError(
      `GSQ_DATA_DIR: ${fault}. Start a core on the data directory first: it moves what is damaged aside`,
    );
  };
  const history = directorySource(historyDirectory(directory), fail);
  return closeOnError(withHistory(source, history), async () => {
    await refuseUnfinished(engine);
    const faults = await verifyData(engine, directory).catch((error: unknown) => {
      throw storeError({ GSQ_STORE: EMBEDDED, GSQ_DATA_DIR: directory }, error);
    });
    refuseKeyFaults(faults);
    await engine.finishLoading();
  });
}

async function openCoreSource(config: CoreConfig, name: string, directory: string): Promise<OpenedSource> {
  const route = internalRoute(config);
  const source = new CoreSource(name, {
    address: route.address,
    security: coreSecurity(route)(route.address),
    secret: internalSecret(config),
  });
  return closeOnError(withHistory(source, source.history), async () => {
    const reply = await source.lockFile().catch((error: unknown) => {
      throw new ConfigError(`GSQ_INTERNAL_ADDR: a core uses ${name}, but ${reasonOf(error)}`);
    });
    if (reply === lockFileOf(directory)) return;
    throw new ConfigError(
      `GSQ_INTERNAL_ADDR: a core uses ${name}, but the core at ${route.address} has a different data directory; set the address of the core that uses it`,
    );
  });
}

/**
 * Opens the embedded store of a data directory as the target of a migration. Creates the store if it does not exist.
 */
export async function openEmbeddedTarget(directory: string): Promise<OpenedTarget> {
  const engine = await openEmbeddedAlone(directory);
  return {
    ...{ name: embeddedName(directory), engine },
    moved: () => readMoved(engine),
    clearMoved: () => engine.commit([deleteMoved()]),
    history: directoryTarget(historyDirectory(directory)),
    close: () => engine.close(),
  };
}

function withHistory(store: MigrationSource, history: HistorySource): OpenedSource {
  return { store, history, close: () => store.close() };
}

/**
 * Runs `check`, and returns the opened store `source`. If `check` fails, closes the store and rejects with the error of
 * `check`.
 */
async function closeOnError<Source extends { close(): Promise<void> }>(
  source: Source,
  check: () => Promise<void>,
): Promise<Source> {
  try {
    await check();
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * Throws ConfigError if a key file (`token.key` or `credentials.key`) has a fault. A migration copies no key files, so
 * the data directory must already contain the right ones. `faults`: one message for each fault.
 */
function refuseKeyFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
}
