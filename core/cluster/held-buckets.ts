import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerRecord } from '../servers/server-record.ts';
import { NoWrites } from '../store/no-writes.ts';
import { isAccountBucket } from './buckets.ts';
import type { BucketHolder } from './ownership.ts';

/**
 * Pause before this core repeats a refused write, ms. With this write, the core stores the last changes of buckets
 * (groups of servers) that it gives away. The storage engine can refuse the write, for example during a failover.
 */
const RETRY_MS = 200;
/**
 * Maximum number of retries of a write that the storage engine refuses. All retries together take 30 s, so they outlast
 * a failover of the engine (about 5 s).
 */
const MOST_RETRIES = 150;

/**
 * A function that gets the records of servers that were just loaded or are about to be unloaded. It must read the
 * records before it returns.
 */
type ServersVisitor = (servers: Iterable<ServerRecord>) => Promise<void> | undefined;

/** The tracked servers in the memory of this core, by bucket. */
export interface HeldServers {
  takeBuckets(buckets: readonly number[], onLoaded: ServersVisitor): Promise<void>;
  /**
   * Ends the leases that probers have for the servers in these buckets. When the promise has resolved, the records of
   * these servers do not change any more.
   */
  stopBuckets(buckets: readonly number[]): Promise<void>;
  /**
   * Writes the newest records of the servers in these buckets, and unloads the servers. Rejects with NoWrites if the
   * storage engine refuses writes.
   */
  giveBuckets(buckets: readonly number[], onUnloaded: ServersVisitor): Promise<void>;
}

/** Dependencies of `HeldBuckets`, which loads and unloads the data of buckets. */
export interface HeldBucketsDependencies {
  servers: HeldServers;
  /** Loads and unloads the secrets and options of servers. */
  credentials: BucketData;
  /** Loads and unloads the servers that gsq no longer probes regularly. */
  givenUp: BucketData;
  /**
   * Loads and unloads accounts (tokens and webhooks). Called only for buckets of accounts (`isAccountBucket`), and not
   * for buckets of servers.
   */
  accounts: BucketHolder;
  history: { flush(): Promise<void> };
  search: { addLoaded: ServersVisitor; removeUnloaded: ServersVisitor; sentAll(): Promise<void> };
  detector: { forget(serverKey: string): void };
  /**
   * Waits before the next attempt to write, after the storage engine has refused a write. The default wait is RETRY_MS.
   */
  pause?: () => Promise<void>;
}

/** Data about servers that is loaded and unloaded together with their buckets. */
export interface BucketData {
  takeBuckets(buckets: readonly number[]): Promise<void>;
  giveBuckets(buckets: readonly number[]): Promise<void>;
}

/**
 * Loads and unloads all data that this core keeps in memory for buckets. Calls of `take` (load) and `give` (unload) run
 * one after the other, in the order of the calls.
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
   * Writes the last changes of these buckets, and unloads them. Retries refused writes for 30 s, then rejects with
   * NoWrites. Call this only when `Ownership.owns` is false for the buckets.
   */
  give(buckets: readonly number[]): Promise<void> {
    return this.#inOrder(() => this.#give(buckets));
  }

  /** Stops the retries of `give`, which unloads buckets. After this call, `give` rejects at the first refused write. */
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
    // Loads the credentials first, because the first probe of a server needs them. Loads the given-up servers (no
    // longer probed regularly) last, and removes those that gsq tracks again.
    await credentials.takeBuckets(ofServers);
    await servers.takeBuckets(ofServers, loaded => search.addLoaded(loaded));
    await givenUp.takeBuckets(ofServers);
    // From now on, searches count these buckets as read.
    await search.sentAll();
  }

  async #give(buckets: readonly number[]): Promise<void> {
    const { servers, credentials, givenUp, accounts, search } = this.#dependencies;
    const { ofServers, ofAccounts } = split(buckets);
    if (ofServers.length > 0) {
      await servers.stopBuckets(ofServers);
      await credentials.giveBuckets(ofServers);
      await this.#unload(ofServers);
      await givenUp.giveBuckets(ofServers);
      await search.sentAll();
    }
    if (ofAccounts.length > 0) await accounts.give(ofAccounts);
  }

  async #unload(buckets: readonly number[]): Promise<void> {
    const { servers, history, search, detector, pause } = this.#dependencies;
    const { signal } = this.#closing;
    for (let retries = 0; ; retries++) {
      try {
        // Writes the queued history samples (results of probes) first, and then the server records. In the opposite
        // order, a crash between the two writes would lose the samples, because the new server records do not contain
        // them any more.
        await history.flush();
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
 * Yields the servers that this core unloads. Before it yields a server, deletes the unanswered probes of this server
 * from the failure detector. The detector keeps the measured packet loss of the hosts, which needs little memory.
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
