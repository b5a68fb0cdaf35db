import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { RedisStore } from '../../core/store/redis/redis-store.ts';
import { TABLE_KEYS } from '../../core/store/redis/table-scripts.ts';
import type { CountedPut, Operation, StorageEngine } from '../../core/store/storage-engine.ts';
import { createLogger } from '../../runtime/log.ts';
import type { EngineCluster } from './engine-cluster.ts';

/** A RedisStore on the Redis or Valkey cluster of a test, and the errors and warnings that it has reported. */
export interface OpenedRedisStore {
  store: RedisStore;
  /** The errors that the store has passed to its callback `onFailure`. */
  failures: Error[];
  /** The errors that the store has passed to its callback `onLost`. */
  lost: Error[];
  /** The warnings that the store has logged. */
  warnings: string[];
}

const ALL = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);

/**
 * Opens a RedisStore as the owner of `buckets` (groups of servers). `epoch`: number of the owner, higher than for
 * earlier owners. `parameters`: query of the store URL, with `?`. Rejects if the store cannot become the owner.
 */
export async function openRedisStore(
  cluster: Pick<EngineCluster, 'url'>,
  epoch: number,
  { owner = `core-${epoch}`, parameters = '', buckets = ALL } = {},
): Promise<OpenedRedisStore> {
  const failures: Error[] = [];
  const lost: Error[] = [];
  const warnings: string[] = [];
  const log = createLogger('core', 'silent');
  log.warn = (_fields: unknown, message?: string) => void warnings.push(String(message));
  const store = await RedisStore.open({
    url: cluster.url + parameters,
    owner,
    log,
    onFailure: error => failures.push(error),
    onLost: error => lost.push(error),
  });
  const taken = await store.takeBuckets(buckets, epoch);
  if (taken.kind === 'taken') return { store, failures, lost, warnings };
  await store.close();
  throw taken.kind === 'failed' ? taken.error : new Error(`a bucket has a newer owner: epoch ${taken.epoch}`);
}

/** Deletes all data from the Redis or Valkey cluster of a test, including the fencing tokens of all buckets. */
export async function flush(cluster: EngineCluster): Promise<void> {
  await Promise.all(cluster.masters.map(node => node.command('FLUSHALL')));
}

/**
 * Ends the leases with which processes own buckets of data in the cluster of a test. Without this, a killed process
 * would keep its buckets until its lease expires.
 */
export async function endLeases(cluster: EngineCluster): Promise<void> {
  const script = `for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZADD', KEYS[1], 0, id) end`;
  const ended = cluster.masters.map(node => node.command('EVAL', script, '1', TABLE_KEYS[1] ?? ''));
  // The script succeeds only on the master that stores the leases. All other masters refuse the script, so one
  // success is enough.
  await Promise.any(ended);
}

export const put = (key: string, value = key): Operation => ({ type: 'put', key, value: Buffer.from(value) });
export const del = (key: string): Operation => ({ type: 'del', key });
export const insert = (key: string, value = key): CountedPut => ({
  type: 'put',
  key,
  value: Buffer.from(value),
  adds: 1,
});

/** Returns all entries of a store whose key starts with `prefix`, in key order. The values are converted to text. */
export async function entriesOf(engine: StorageEngine, prefix = ''): Promise<[key: string, value: string][]> {
  const entries: [string, string][] = [];
  for await (const [key, value] of engine.entries(prefix)) entries.push([key, String(value)]);
  return entries;
}
