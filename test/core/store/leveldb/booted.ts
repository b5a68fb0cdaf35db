import { DayQuota } from '../../../../core/access/day-quota.ts';
import { LastUse } from '../../../../core/access/last-use.ts';
import { Tokens } from '../../../../core/access/tokens.ts';
import { ServerCredentials } from '../../../../core/credentials/server-credentials.ts';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';

/** The content of a store, loaded in the same way as at the start of a core. */
export interface Booted {
  engine: LevelDbStore;
  store: EmbeddedServerStore;
  credentials: ServerCredentials;
  tokens: Tokens;
  quota: DayQuota;
  lastUse: LastUse;
  /** Keys of corrupt entries about token usage. They were dropped when the store was loaded. */
  corrupt: string[];
  /** Closes the store in the same way as a core that shuts down. */
  close(): Promise<void>;
}

/**
 * Opens and loads a store with the same checks as the start of a core. If a check fails, closes the store and rejects.
 */
export async function boot(
  directory: string,
  now: () => number,
  onFailure: (error: Error) => void = error => {
    throw error;
  },
  keyDirectory = directory,
): Promise<Booted> {
  const engine = await LevelDbStore.open(directory, onFailure);
  try {
    const credentials = await ServerCredentials.load(engine, keyDirectory);
    const onRemove = (keys: readonly string[]) => credentials.dropAccess(keys);
    const options = { now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 1_000_000, onRemove };
    const store = await EmbeddedServerStore.load(engine, options);
    const tokens = await Tokens.load(engine, keyDirectory);
    const corrupt: string[] = [];
    const quota = await DayQuota.load(engine, now, key => corrupt.push(key));
    const lastUse = await LastUse.load(engine, now, key => corrupt.push(key));
    await engine.finishLoading();
    const close = async (): Promise<void> => {
      quota.close();
      lastUse.close();
      await store.close();
      await engine.close();
    };
    return { engine, store, credentials, tokens, quota, lastUse, corrupt, close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
