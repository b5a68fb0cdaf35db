import { bucketOf, bucketOfServer } from '../../../../core/cluster/buckets.ts';
import { bucketsOf, openCore, serverAt, sharedEntries } from './shared-stores.ts';

/** Callback for `takeBuckets` and `giveBuckets` in tests that do not check the passed servers. */
export const doNothing = (): undefined => undefined;
/** The servers that the first core inserts. */
export const SERVERS = Array.from({ length: 40 }, (_, i) => serverAt(i));
/** The keys of `SERVERS`, in the same order. */
export const KEYS = SERVERS.map(({ gameId, address }) => `${gameId} ${address}`);
/** All buckets (groups of servers) that contain a server of `SERVERS`. */
export const BUCKETS = [...new Set(KEYS.map(bucketOfServer))];
/** Key of the first server. */
export const KEY = KEYS[0] ?? '';
/** The bucket that contains the first server. */
export const BUCKET = bucketOfServer(KEY);

/**
 * Opens two cores that share a store. The first core, `a`, owns the buckets in `BUCKETS` and has inserted the servers.
 */
export async function opened() {
  const shared = sharedEntries(bucketOf);
  const [a, b] = [await openCore(shared, 'a'), await openCore(shared, 'b')];
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'a');
  await bucketsOf(a.store).takeBuckets(BUCKETS, doNothing);
  await a.store.insertIfAbsent(SERVERS);
  /**
   * Makes core `b` the owner of the buckets in `BUCKETS`, and loads the servers there. Core `a` must have unloaded them
   * before.
   */
  const acquire = async (): Promise<void> => {
    for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
    await bucketsOf(b.store).takeBuckets(BUCKETS, doNothing);
  };
  return { shared, a, b, acquire };
}
