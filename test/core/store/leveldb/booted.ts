import { DayQuota } from '../../../../core/access/day-quota.ts';
import { LastUse } from '../../../../core/access/last-use.ts';
import { Tokens } from '../../../../core/access/tokens.ts';
import { ServerCredentials } from '../../../../core/credentials/server-credentials.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';

/** Everything that is stored, read as a core reads it at its start. */
export interface Booted {
  level: LevelDbStore;
  store: EmbeddedServerStore;
  credentials: ServerCredentials;
  tokens: Tokens;
  quota: DayQuota;
  lastUse: LastUse;
  /** Keys of usage that was forgotten. */
  corrupt: string[];
  /** As a core ends in order. */
  close(): Promise<void>;
}

/** Opens and reads a store, in order and with all checks. Rejects as a core's start does, and has closed it then. */
export async function boot(
  directory: string,
  now: () => number,
  onFailure: (error: Error) => void = error => {
    throw error;
  },
  keyDirectory = directory,
): Promise<Booted> {
  const level = await LevelDbStore.open(directory, onFailure);
  try {
    const credentials = await ServerCredentials.load(level, keyDirectory);
    const onRemove = (keys: readonly string[]) => credentials.dropAccess(keys);
    const options = { now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 1_000_000, onRemove };
    const store = await EmbeddedServerStore.load(level, options);
    const tokens = await Tokens.load(level, keyDirectory);
    const corrupt: string[] = [];
    const quota = await DayQuota.load(level, now, key => corrupt.push(key));
    const lastUse = await LastUse.load(level, now, key => corrupt.push(key));
    await level.begin();
    const close = async (): Promise<void> => {
      quota.close();
      lastUse.close();
      await store.close();
      await level.close();
    };
    return { level, store, credentials, tokens, quota, lastUse, corrupt, close };
  } catch (error) {
    await level.close();
    throw error;
  }
}
