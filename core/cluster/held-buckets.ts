import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerRecord } from '../servers/server-record.ts';
import { NoWrites } from '../store/no-writes.ts';
import { isAccountBucket } from './buckets.ts';
import type { BucketHolder } from './ownership.ts';

/** Pause before the last changes of buckets are written again, if the storage engine refused them, ms. */
const RETRY_MS = 200;
/** Number of times that refused writes are tried again: for 30 s. A failover of the storage engine takes about 5 s. */
const MOST_RETRIES = 150;

/** Receives the records of servers that were loaded or are unloaded next, and uses them before it returns. */
type ServersVisitor = (servers: Iterable<ServerRecord>) => Promise<void> | undefined;

/** The tracked servers in the memory of this core, by bucket. */
export interface HeldServers {
  takeBuckets(buckets: readonly number[], onLoaded: ServersVisitor): Promise<void>;
  /** Ends the leases of the servers in these buckets. Their records do not change after the promise has resolved. */
  stopBuckets(buckets: readonly number[]): Promise<void>;
  /** Writes the newest records and unloads the servers. Rejects with NoWrites if the storage engine refuses writes. */
  giveBuckets(buckets: readonly number[], onUnloaded: ServersVisitor): Promise<void>;
}

/** Dependencies of `HeldBuckets`. */
export interface HeldBucketsDependencies {
  servers: HeldServers;
  /** Secrets and options of servers. */
  credentials: BucketData;
  /** Servers that gsq no longer probes regularly. */
  givenUp: BucketData;
  /** Loads and unloads the accounts. It gets the buckets with accounts. */
  accounts: BucketHolder;
  history: { flush(): Promise<void> };
  search: { addLoaded: ServersVisitor; removeUnloaded: ServersVisitor };
  detector: { forget(serverKey: string): void };
  /** Waits before a refused write is tried again. Default: waits RETRY_MS. */
  pause?: () => Promise<void>;
}

/** Data about servers that is loaded and unloaded together with their buckets. */
export interface BucketData {
  takeBuckets(buckets: readonly number[]): Promise<void>;
  giveBuckets(buckets: readonly number[]): Promise<void>;
}

/**
 * Loads and unloads everything that this core keeps in memory about the servers and accounts of buckets. Takes and gives
 * run one after the other, in the order of the calls.
 */
export class HeldBuckets implements BucketHolder {
  readonly #dependencies: HeldBucketsDependencies;
  readonly #closing = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(dependencies: HeldBucketsDependencies) {
    this.#dependencies = dependencies;
  }

  take(buckets: readonly number[]): Promise<void> {
    return this.#inOrder(() => this.#take(buckets));
  }

  /**
   * Writes the last changes of buckets and unloads them. If the storage engine refuses the writes, tries again for 30 s,
   * and then rejects with NoWrites. A recovery of the engine (`StorageEngine.recover`) must be able to run meanwhile.
   * `Ownership.owns` must be false for these buckets before the call.
   */
  give(buckets: readonly number[]): Promise<void> {
    return this.#inOrder(() => this.#give(buckets));
  }

  /** Makes `give` reject instead of repeating writes that the storage engine refuses. */
  close(): void {
    this.#closing.abort();
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #take(buckets: readonly number[]): Promise<void> {
    const { servers, credentials, givenUp, accounts, search } = this.#dependencies;
    const { ofServers, ofAccounts } = split(buckets);
    if (ofAccounts.length > 0) await accounts.take(ofAccounts);
    if (ofServers.length === 0) return;
    // The first probe of a loaded server needs its credentials. A server is given up only if it is not tracked.
    await credentials.takeBuckets(ofServers);
    await servers.takeBuckets(ofServers, loaded => search.addLoaded(loaded));
    await givenUp.takeBuckets(ofServers);
  }

  async #give(buckets: readonly number[]): Promise<void> {
    const { servers, credentials, givenUp, accounts, history } = this.#dependencies;
    const { ofServers, ofAccounts } = split(buckets);
    if (ofServers.length > 0) {
      await servers.stopBuckets(ofServers);
      await credentials.giveBuckets(ofServers);
      // The records that are written next do not contain the samples of finished hours. If the history cannot write
      // these samples now, it keeps them in its queue and tries again every second.
      await history.flush();
      await this.#unload(ofServers);
      await givenUp.giveBuckets(ofServers);
    }
    if (ofAccounts.length > 0) await accounts.give(ofAccounts);
  }

  async #unload(buckets: readonly number[]): Promise<void> {
    const { servers, search, detector, pause } = this.#dependencies;
    const { signal } = this.#closing;
    for (let retries = 0; ; retries++) {
      try {
        await servers.giveBuckets(buckets, unloaded => search.removeUnloaded(forgetting(unloaded, detector)));
        return;
      } catch (error) {
        if (!(error instanceof NoWrites) || signal.aborted || retries === MOST_RETRIES) throw error;
      }
      await (pause ? pause() : sleep(RETRY_MS, undefined, { ref: false }));
    }
  }
}

/**
 * Yields servers, and makes the failure detector forget each of them. The packet loss of their hosts and networks stays
 * in the detector: it is bounded, and useful if the buckets come back.
 */
function* forgetting(
  servers: Iterable<ServerRecord>,
  detector: HeldBucketsDependencies['detector'],
): Generator<ServerRecord> {
  for (const server of servers) {
    detector.forget(server.key);
    yield server;
  }
}

function split(buckets: readonly number[]): { ofServers: number[]; ofAccounts: number[] } {
  return {
    ofServers: buckets.filter(bucket => !isAccountBucket(bucket)),
    ofAccounts: buckets.filter(isAccountBucket),
  };
}
