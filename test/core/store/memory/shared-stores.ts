import { UNCONFIRMED_LIMITS, UnconfirmedServers } from '../../../../core/admission/unconfirmed-servers.ts';
import { bucketOfServer, SERVER_BUCKETS } from '../../../../core/cluster/buckets.ts';
import type { NewServer } from '../../../../core/servers/server-store.ts';
import type { BucketLoader } from '../../../../core/store/memory/bucket-loader.ts';
import { EmbeddedServerStore } from '../../../../core/store/memory/embedded-server-store.ts';
import { type Clock, clockAt } from '../../clock.ts';
import { SharedEngine, type SharedEntries } from '../shared-engine.ts';

/** A simulated core: its storage engine, which it shares with other cores, and its server store. */
export interface Core {
  readonly name: string;
  readonly clock: Clock;
  readonly engine: SharedEngine;
  readonly store: EmbeddedServerStore;
  readonly unconfirmed: UnconfirmedServers;
  /** Keys of the servers whose removal the store has published. */
  readonly removed: string[];
}

/** Creates an empty simulated disk for several cores. No core owns a bucket (group of servers) of this disk yet. */
export function sharedEntries(bucketOf: (storedKey: string) => number): SharedEntries {
  return { durable: new Map(), owners: new Map(), bucketOf };
}

/** Opens a core that owns no buckets of servers yet. All cores of a test must have the same `clock`. */
export async function openCore(shared: SharedEntries, name: string, clock = clockAt()): Promise<Core> {
  const engine = new SharedEngine(shared, name);
  const unconfirmed = new UnconfirmedServers({ ...UNCONFIRMED_LIMITS, inAll: 1_000, aToken: 1_000 });
  const removed: string[] = [];
  const store = await EmbeddedServerStore.load(engine, {
    ...{ now: clock.now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 100_000, unconfirmed },
    buckets: { reader: engine, bucketOf: bucketOfServer, count: SERVER_BUCKETS },
    onInserted: ({ key, insertedBy, address }) => unconfirmed.addServer(key, insertedBy, address),
    onRemoved: ({ key }) => removed.push(key),
  });
  return { name, clock, engine, store, unconfirmed, removed };
}

/** Returns the part of a store that loads buckets of servers. Throws if the store has no buckets. */
export function bucketsOf({ buckets }: EmbeddedServerStore): BucketLoader {
  if (!buckets) throw new Error('the store has no buckets');
  return buckets;
}

/** Returns a new server. Each value of `i` has its own IP address. */
export function serverAt(i: number, gameId = 'csgo'): NewServer {
  return { gameId, address: `127.0.${i >> 8}.${i & 255}:27015`, insertedBy: 'tok_1' };
}
