import { join } from 'node:path';
import { keepInternalSecret } from '../runtime/internal-port.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import type { Logger } from '../runtime/log.ts';
import { DayQuota } from './access/day-quota.ts';
import { LastUse } from './access/last-use.ts';
import { Tokens } from './access/tokens.ts';
import type { UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import { type CoreConfig, storeError } from './core-settings.ts';
import { ServerCredentials } from './credentials/server-credentials.ts';
import { CorruptEntries } from './ops/corrupt-entries.ts';
import { GivenUpServers } from './servers/given-up-servers.ts';
import { EmbeddedServerStore } from './store/embedded-server-store.ts';
import { LevelDbStore } from './store/leveldb/leveldb-store.ts';
import { StoreSupervisor } from './store/store-supervisor.ts';

/** Length of a lease, ms: longer than any probe takes. A prober that dies without a word delays its servers this long. */
const LEASE_MS = 30_000;

export interface OpenStoreDependencies {
  config: CoreConfig;
  log: Logger;
  now: () => number;
  /** Filled with the stored servers that never answered. */
  unconfirmed: UnconfirmedServers;
  /** Called with the key of every server that is removed. */
  onRemove(key: string): void;
}

/** Everything that is stored, read and checked. */
export interface OpenedStore {
  levelDb: LevelDbStore;
  supervisor: StoreSupervisor;
  /** Secret of the internal port. Only the holder of the store's lock may write it to the data directory. */
  internalSecret: string;
  store: EmbeddedServerStore;
  credentials: ServerCredentials;
  tokens: Tokens;
  quota: DayQuota;
  lastUse: LastUse;
  givenUp: GivenUpServers;
  corrupt: CorruptEntries;
}

/** Opens the data directory and reads all that is stored. Rejects with ConfigError or StoreDamage. */
export async function openStore(dependencies: OpenStoreDependencies): Promise<OpenedStore> {
  const { config, log } = dependencies;
  const directory = join(config.GSQ_DATA_DIR, 'leveldb');
  let supervisor: StoreSupervisor | undefined;
  const levelDb = await LevelDbStore.open(directory, error => supervisor?.failed(error)).catch(
    (error: unknown) => {
      throw storeError(config.GSQ_DATA_DIR, error);
    },
  );
  const internalSecret = keepInternalSecret(config);
  const corrupt = new CorruptEntries(log);
  const loaded = await loadAll(levelDb, corrupt, dependencies).catch((error: unknown) => {
    throw storeError(config.GSQ_DATA_DIR, error);
  });
  supervisor = superviseStore(levelDb, directory, loaded, dependencies);
  await supervisor.start();
  return { ...loaded, levelDb, supervisor, internalSecret, corrupt };
}

type Loaded = Pick<OpenedStore, 'store' | 'credentials' | 'tokens' | 'quota' | 'lastUse' | 'givenUp'>;

async function loadAll(
  levelDb: LevelDbStore,
  corrupt: CorruptEntries,
  { config, now, unconfirmed, onRemove }: OpenStoreDependencies,
): Promise<Loaded> {
  const credentials = await ServerCredentials.load(levelDb, config.GSQ_DATA_DIR);
  const store = await EmbeddedServerStore.load(levelDb, {
    now,
    probeIntervalMs: config.GSQ_PROBE_INTERVAL,
    leaseMs: LEASE_MS,
    maxServers: config.GSQ_MAX_SERVERS,
    unproven: unconfirmed,
    onRemove(keys) {
      for (const key of keys) onRemove(key);
      return credentials.dropAccess(keys);
    },
  });
  const tokens = await Tokens.load(levelDb, config.GSQ_DATA_DIR);
  const quota = await DayQuota.load(levelDb, now, corrupt.countEntry);
  const lastUse = await LastUse.load(levelDb, now, corrupt.countEntry);
  const givenUp = await GivenUpServers.load(levelDb, {
    now,
    most: config.GSQ_MAX_UNPROVEN,
    isTracked: key => store.getMany([key])[0] !== undefined,
    corrupt: corrupt.countEntry,
  });
  await levelDb.begin();
  return { store, credentials, tokens, quota, lastUse, givenUp };
}

/** Watches the disk and failed writes. Ends the process if acknowledged writes are lost. */
function superviseStore(
  levelDb: LevelDbStore,
  directory: string,
  { store, credentials, tokens }: Loaded,
  { config, log }: OpenStoreDependencies,
): StoreSupervisor {
  return new StoreSupervisor({
    level: levelDb,
    directory,
    minFreeBytes: config.GSQ_MIN_FREE_SPACE,
    compare: async () => [
      ...(await store.compare()),
      ...(await credentials.compare()),
      ...(await tokens.compare()),
    ],
    writeOwed: () => store.writeOwed(),
    log,
    onLost(error) {
      log.fatal({ err: error }, 'store: what was acknowledged is gone');
      process.exit(exitStatus.failed);
    },
  });
}
