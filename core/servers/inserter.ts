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

/** Longest wait a request may ask for (CONTRACT, `Prefer: wait`). */
const MAX_WAIT_MS = 5_000;

export interface InserterDependencies {
  store: ServerStore;
  givenUp: GivenUpServers;
  changes: ServerChanges;
  policy: TargetPolicy;
  resolver: Resolver;
  guard: InsertGuard;
  /** Once it is aborted no probe is waited for: there will be none. */
  closing?: AbortSignal;
  /** Called after an insert, so that the first probe happens at once. */
  onInserted(): void;
}

/** A well-formed pair that is to be tracked. */
export interface Candidate {
  pair: FetchedPair;
  gameId: string;
  /** Canonical. */
  address: string;
  /** A host name that has yet to be looked up. */
  name?: string;
}

/**
 * Whether a tracked server is inserted all the same. What the operator adds is kept for good; a server that never
 * answered and was inserted by somebody else would not be.
 */
export function isAdopted(server: ServerRecord, insertedBy: string): boolean {
  return insertedBy === OPERATOR && server.insertedBy !== OPERATOR && server.lastOnlineAt === 0;
}

/** Makes pairs tracked: new ones, within the limits of whoever names them, and those that are due for another try. */
export class Inserter {
  readonly #dependencies: InserterDependencies;

  constructor(dependencies: InserterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Inserts what is valid of the candidates, and fills in their pairs. Waits for the store to make inserts durable, for
   * names to be looked up, and up to `waitMs` for the first probe of what was inserted.
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

  /** Stores valid candidates and gives back what was counted in vain. Returns the keys of those that were inserted. */
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
      // In this order, and both in one write: what the operator takes over begins anew.
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
        givenUp.drop(key);
        fresh.push(key);
      });
    } finally {
      for (const key of counted) guard.uncountInsert(key, insertedBy);
    }
    return fresh;
  }

  /** Counts what may be inserted, by key, and marks what may not. */
  async #count(candidates: readonly Candidate[], insertedBy: string): Promise<Set<string>> {
    const { policy, resolver, guard } = this.#dependencies;
    const counted = new Set<string>();
    for (const { pair, gameId, address, name } of candidates) {
      if (pair.invalid) continue;
      const key = serverKey(gameId, address);
      // Looked up just now, and remembered.
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
   * Tracks pairs again that never answered and are due for another try, as what they were found to be. Nobody waits for
   * it, and no limit counts it; if it fails, the next fetch tries again.
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
        if (outcomes[i] === 'inserted' || outcomes[i] === 'present') givenUp.drop(key);
      });
      onInserted();
    };
    track().catch(() => {});
  }

  /**
   * Resolves when each of the keys has answered, after `waitMs`, or when the core closes. What fails is waited for to the end: how soon it
   * failed would tell a closed port from a silent one, and a name that leads inside from one that leads nowhere.
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
