import { splitCanonical } from '../../net/address.ts';
import type { Resolver } from '../../net/resolver.ts';
import type { TargetPolicy } from '../../net/targets.ts';
import { type InsertCounter, OPERATOR } from '../admission/insert-guard.ts';
import type { FetchedPair } from './fetch-request.ts';
import type { GivenUpServers } from './given-up-servers.ts';
import { checkName, insertQuota, noWrites } from './pair-check.ts';
import type { ServerChanges } from './server-changes.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import type { ServerStore } from './server-store.ts';

/**
 * Maximum value of `waitMs`, the time for which a fetch waits for the first replies of inserted servers, ms. See
 * `Prefer: wait` in the CONTRACT.
 */
export const MAX_WAIT_MS = 5_000;

/** Dependencies of `Inserter`. */
export interface InserterDependencies {
  store: ServerStore;
  givenUp: GivenUpServers;
  changes: ServerChanges;
  policy: TargetPolicy;
  resolver: Resolver;
  guard: InsertCounter;
  /**
   * Signal that is aborted when the core shuts down. After that, nobody probes servers, so all waits for the first
   * replies end.
   */
  closing?: AbortSignal;
  /** Called after an insert, so that the dispatcher gives the new server to a prober immediately. */
  onInserted(): void;
}

/**
 * A server that a request wants to insert. Its game and address have passed the first checks. Either gsq does not track
 * the server yet, or the operator becomes its owner (`isAdopted`).
 */
export interface Candidate {
  pair: FetchedPair;
  gameId: string;
  /** Address in the canonical form `host:port`. */
  address: string;
  /** Host name that must be looked up; absent if the host is an IP address. */
  name?: string;
  /** IP address of the host `name`. gsq may probe this address. Absent before the look-up. */
  ip?: string;
}

/**
 * True if the operator inserts a server that a caller inserted before and that has never answered. The operator becomes
 * its owner, so gsq keeps the server.
 */
export function isAdopted(server: ServerRecord, insertedBy: string): boolean {
  return insertedBy === OPERATOR && server.insertedBy !== OPERATOR && server.lastOnlineAt === 0;
}

/**
 * Inserts servers for fetches, within the limits of the caller. Resumes the tracking of servers that gsq gave up
 * because they never answered.
 */
export class Inserter {
  readonly #dependencies: InserterDependencies;

  constructor(dependencies: InserterDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Inserts the candidates of a request (servers to insert), except the invalid ones. Stores each result in the `pair`
   * (game and address) of the candidate. Waits until the inserts are durable. Then waits up to `waitMs` for the first
   * replies of the inserted servers.
   */
  async insert(candidates: readonly Candidate[], insertedBy: string, waitMs: number): Promise<void> {
    const { store, guard } = this.#dependencies;
    await this.#checkNames(candidates);
    // Do not add an `await` between here and the call of `insertIfAbsent`. Otherwise another request could insert a
    // server that this request has counted. This request would then undo its count, although the server was inserted.
    const countedAt = guard.now();
    const counted = this.#count(candidates, insertedBy);
    const valid = candidates.filter(({ pair }) => !pair.invalid);
    const stored = this.#store(valid, insertedBy, counted).finally(() => {
      for (const key of counted) guard.uncountInsert(key, insertedBy, countedAt);
    });
    const fresh = await stored;
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

  /**
   * Dry run of `insert`: inserts nothing. Sets `pair.inserted` of a candidate (server to insert) to true if `insert`
   * would insert it. Does not check the insert limits of the caller, nor whether the store accepts writes.
   */
  async check(candidates: readonly Candidate[]): Promise<void> {
    await this.#checkNames(candidates);
    const found = new Set<string>();
    for (const { pair, gameId, address } of candidates) {
      const key = serverKey(gameId, address);
      pair.inserted = !pair.invalid && !found.has(key);
      found.add(key);
    }
  }

  /**
   * Looks up the host names of the servers that a request wants to insert (candidates). If the look-up fails or the
   * address is not allowed, marks the `pair` (game and address) of the candidate as invalid.
   */
  async #checkNames(candidates: readonly Candidate[]): Promise<void> {
    const { policy, resolver } = this.#dependencies;
    await Promise.all(
      candidates.map(async candidate => {
        const { pair, name } = candidate;
        if (name === undefined) return;
        const found = await checkName(name, policy, resolver);
        if (typeof found === 'string') candidate.ip = found;
        else pair.invalid = found;
      }),
    );
  }

  /**
   * Writes candidates (servers to insert) to the store. Returns the keys of the servers that were inserted. `counted`:
   * keys of servers that were counted towards the insert limits of the caller. Removes the inserted servers from
   * `counted`, so that it then contains the servers whose count must be undone.
   */
  async #store(
    valid: readonly Candidate[],
    insertedBy: string,
    counted: Set<string>,
  ): Promise<readonly string[]> {
    const { store, givenUp } = this.#dependencies;
    const fresh: string[] = [];
    const keys = valid.map(({ gameId, address }) => serverKey(gameId, address));
    const adopted = store
      .getMany(keys)
      .flatMap(record => (record && isAdopted(record, insertedBy) ? [record.key] : []));
    // If the operator inserts a server that a caller inserted before, a new record replaces the old one. The store
    // makes the removal and the insert in one write, in this order.
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
    return fresh;
  }

  /**
   * Counts the new servers of a request towards the insert limits of the caller. Marks each server that a limit refuses
   * as invalid. Returns the keys of the counted servers.
   */
  #count(candidates: readonly Candidate[], insertedBy: string): Set<string> {
    const { policy, guard } = this.#dependencies;
    const counted = new Set<string>();
    for (const { pair, gameId, address, ip = splitCanonical(address).host } of candidates) {
      if (pair.invalid) continue;
      const key = serverKey(gameId, address);
      const taken = guard.countInsert(key, insertedBy, ip, policy.reach(ip) === 'own');
      if (taken === true) counted.add(key);
      else if (taken !== false) pair.invalid = taken;
    }
    return counted;
  }

  /**
   * Tracks servers again that gsq had given up because they never answered. Uses their old records. This runs in the
   * background, and does not count against the insert limits. If it fails, the next fetch of the server tries again.
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
   * Waits until all inserted servers have answered, `waitMs` has passed, or the core shuts down. A failed probe does
   * not end the wait. If it did, callers could find out from the duration which internal hosts exist.
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
