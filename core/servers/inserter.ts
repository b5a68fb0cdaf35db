import { splitCanonical } from '../../net/address.ts';
import type { Resolver } from '../../net/resolver.ts';
import type { TargetPolicy } from '../../net/targets.ts';
import { type InsertGuard, OPERATOR } from '../admission/insert-guard.ts';
import type { FetchedPair } from './fetch-request.ts';
import type { GivenUpServers } from './given-up-servers.ts';
import { checkName, insertQuota, noWrites } from './pair-check.ts';
import type { ServerChanges } from './server-changes.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import type { ServerStore } from './server-store.ts';

/** Upper bound of `waitMs`, ms (CONTRACT, `Prefer: wait`). */
const MAX_WAIT_MS = 5_000;

export interface InserterDependencies {
  store: ServerStore;
  givenUp: GivenUpServers;
  changes: ServerChanges;
  policy: TargetPolicy;
  resolver: Resolver;
  guard: InsertGuard;
  /** Ends all waits for probes when it is aborted, since no probe comes then. */
  closing?: AbortSignal;
  /** Called after an insert; wakes the schedule, so that the first probe comes at once. */
  onInserted(): void;
}

/** A well-formed pair that is not tracked yet. */
export interface Candidate {
  pair: FetchedPair;
  gameId: string;
  /** The canonical `host:port`. */
  address: string;
  /** The host name that must be looked up; absent for an IP address. */
  name?: string;
}

/**
 * Whether the operator takes over a tracked server by inserting it again: it never answered and a caller inserted it. As the
 * operator's server it is kept for good.
 */
export function isAdopted(server: ServerRecord, insertedBy: string): boolean {
  return insertedBy === OPERATOR && server.insertedBy !== OPERATOR && server.lastOnlineAt === 0;
}

/** Inserts servers: new ones, within the limits of the caller, and given-up ones that are due for another try. */
export class Inserter {
  readonly #dependencies: InserterDependencies;

  constructor(dependencies: InserterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Inserts the valid candidates and sets the results in their pairs. Waits for name lookups, for the store to make inserts
   * durable, and up to `waitMs` for the first probe of the inserted servers.
   */
  async insert(candidates: readonly Candidate[], insertedBy: string, waitMs: number): Promise<void> {
    const { policy, resolver, store } = this.#dependencies;
    await Promise.all(
      candidates.map(async ({ pair, name }) => {
        const invalid = name === undefined ? undefined : await checkName(name, policy, resolver);
        if (invalid) pair.invalid = invalid;
      }),
    );
    const counted = await this.#count(candidates, insertedBy);
    const valid = candidates.filter(({ pair }) => !pair.invalid);
    const fresh = await this.#store(valid, insertedBy, counted);
    if (fresh.length > 0) {
      const probed = waitMs > 0 ? this.#firstProbes(fresh, waitMs) : undefined;
      this.#dependencies.onInserted();
      await probed;
    }
    for (const { pair, gameId, address } of valid) {
      const [record] = pair.invalid ? [] : store.getMany([serverKey(gameId, address)]);
      if (record) pair.record = record;
    }
  }

  /** Stores valid candidates and undoes the counts of those that were not inserted. Returns the keys of the inserted ones. */
  async #store(
    valid: readonly Candidate[],
    insertedBy: string,
    counted: Set<string>,
  ): Promise<readonly string[]> {
    const { store, givenUp, guard } = this.#dependencies;
    const fresh: string[] = [];
    const keys = valid.map(({ gameId, address }) => serverKey(gameId, address));
    const adopted = store
      .getMany(keys)
      .flatMap(record => (record && isAdopted(record, insertedBy) ? [record.key] : []));
    try {
      // Removal and insert go into one write, in this order: a server that the operator takes over begins anew.
      const removal = adopted.length > 0 ? store.remove(adopted) : undefined;
      const [outcomes] = await Promise.all([
        store.insertIfAbsent(valid.map(({ gameId, address }) => ({ gameId, address, insertedBy }))),
        removal,
      ]);
      valid.forEach(({ pair }, i) => {
        const key = keys[i] ?? '';
        if (outcomes[i] === 'full') pair.invalid = insertQuota;
        if (outcomes[i] === 'refused') pair.invalid = noWrites;
        if (outcomes[i] !== 'inserted') return;
        pair.inserted = true;
        counted.delete(key);
        givenUp.forget(key);
        fresh.push(key);
      });
    } finally {
      for (const key of counted) guard.uncountInsert(key, insertedBy);
    }
    return fresh;
  }

  /** Counts candidates against the insert limits and marks the refused ones. Returns the keys that were counted. */
  async #count(candidates: readonly Candidate[], insertedBy: string): Promise<Set<string>> {
    const { policy, resolver, guard } = this.#dependencies;
    const counted = new Set<string>();
    for (const { pair, gameId, address, name } of candidates) {
      if (pair.invalid) continue;
      const key = serverKey(gameId, address);
      // The resolver answers from its cache: the name was looked up just now.
      const found = name === undefined ? undefined : await resolver.resolve(name);
      const allowed = found?.kind === 'addresses' ? found.addresses.find(ip => policy.allows(ip)) : undefined;
      const ip = allowed ?? splitCanonical(address).host;
      const taken = guard.countInsert(key, insertedBy, ip, policy.reach(ip) === 'own');
      if (taken === true) counted.add(key);
      else if (taken !== false) pair.invalid = taken;
    }
    return counted;
  }

  /**
   * Tracks given-up servers again that are due for another try, with their old records. Runs in the background and counts
   * against no limit; if it fails, the next fetch tries again.
   */
  retry(records: readonly ServerRecord[]): void {
    const { store, givenUp, onInserted } = this.#dependencies;
    if (!store.writable) return;
    const track = async (): Promise<void> => {
      const outcomes = await store.insertIfAbsent(
        records.map(record => {
          const { gameId, address, insertedBy } = record;
          return { gameId, address, insertedBy, record };
        }),
      );
      records.forEach(({ key }, i) => {
        if (outcomes[i] === 'inserted' || outcomes[i] === 'present') givenUp.forget(key);
      });
      onInserted();
    };
    track().catch(() => {});
  }

  /**
   * Resolves when every server has answered, after `waitMs`, or when the core closes. A failed probe does not end the wait:
   * its timing would tell callers a closed port from a silent one, and an internal host name from an unknown one.
   */
  #firstProbes(keys: readonly string[], waitMs: number): Promise<void> {
    const waiting = new Set(keys);
    const { closing } = this.#dependencies;
    if (closing?.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        closing?.removeEventListener('abort', end);
        unfollow();
        resolve();
      };
      const unfollow = this.#dependencies.changes.follow(keys, server => {
        if (server.status === 'online' && waiting.delete(server.key) && waiting.size === 0) end();
      });
      const timer = setTimeout(end, Math.min(waitMs, MAX_WAIT_MS));
      closing?.addEventListener('abort', end);
    });
  }
}
