import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { FetchedPair, FetchSink, ServerGroup } from './fetch-request.ts';
import { type Candidate, Inserter, type InserterDependencies, isAdopted } from './inserter.ts';
import { KnownServers } from './known-servers.ts';
import { checkAddress, type InvalidReason, unknownGame } from './pair-check.ts';
import { type ServerRecord, serverKey } from './server-record.ts';
import type { FragmentCache } from './server-store.ts';

/** Dependencies of `ServerFetch`. */
export interface ServerFetchDependencies extends InserterDependencies {
  catalog: { current(): CatalogSnapshot };
}

/**
 * What a fetch has found out about the addresses of its request. It includes the servers that the fetch must still
 * insert or probe again.
 */
interface Findings {
  insertedBy: string;
  /** All different pairs of game and address, in the order of the request. */
  pairs: FetchedPair[];
  /** Pairs of game and address whose servers must be inserted. */
  candidates: Candidate[];
  /** Servers that gsq gave up because they never answered, and that must be probed again now. */
  due: ServerRecord[];
}

/**
 * Answers fetches. It returns stored servers, and inserts valid pairs of game and address that are unknown (SPEC, fetch
 * rules).
 */
export class ServerFetch {
  readonly #dependencies: ServerFetchDependencies;
  readonly #inserter: Inserter;
  readonly #known: KnownServers;
  readonly #invalid: Record<InvalidReason, number> = {
    unknown_game: 0,
    malformed_address: 0,
    blocked_address: 0,
    unresolvable_host: 0,
    insert_quota: 0,
  };

  constructor(dependencies: ServerFetchDependencies) {
    this.#dependencies = dependencies;
    this.#inserter = new Inserter(dependencies);
    this.#known = new KnownServers(dependencies);
  }

  /** Number of invalid results of fetches, keyed by reason. */
  get invalid(): Readonly<Record<InvalidReason, number>> {
    return this.#invalid;
  }

  /** Fragments of the answers for tracked servers, as plain JSON. */
  get plainFragments(): FragmentCache {
    return this.#dependencies.store.plainFragments;
  }

  /** Compressed fragments of the answers for tracked servers. A gzip answer joins such fragments. */
  get fragments(): FragmentCache {
    return this.#dependencies.store.fragments;
  }

  /**
   * Tries the fast path: finds the servers of a request in the store and passes them to `sink`. Returns false if the
   * fast path cannot serve the request. Then `fetch` must serve it, and the caller must discard what `sink` received.
   */
  findKnown(groups: readonly AddressGroup[], sink: FetchSink): boolean {
    const known = this.#known;
    if (!known.find(groups, sink)) return false;
    for (const reason of known.invalid) this.#invalid[reason]++;
    if (known.due.length > 0) this.#inserter.retry([...known.due]);
    return true;
  }

  /** Number of invalid addresses in the request of the last call of `findKnown`. */
  get knownInvalid(): number {
    return this.#known.invalid.length;
  }

  /**
   * Passes the servers that the last call of `findKnown` found to another receiver (`sink`). The store must not have
   * changed since that call.
   */
  writeFound(groups: readonly AddressGroup[], sink: FetchSink): void {
    this.#known.writeTo(sink, groups);
  }

  /**
   * Looks up the servers of a request, and inserts unknown servers. Resolves to one result for each different pair of
   * game and address, in the order of the request. Waits for look-ups of host names and for durable inserts, and up to
   * `waitMs` for the first replies of inserted servers. Never waits for replies of other servers.
   */
  async fetch(groups: readonly ServerGroup[], insertedBy: string, waitMs: number): Promise<FetchedPair[]> {
    const { pairs, candidates, due } = this.#findPairs(groups, insertedBy);
    if (due.length > 0) this.#inserter.retry(due);
    if (candidates.length > 0) await this.#inserter.insert(candidates, insertedBy, waitMs);
    for (const { invalid } of pairs) if (invalid) this.#invalid[invalid.reason]++;
    if (candidates.length === 0) return pairs;
    // A record can change during the look-ups of host names and the inserts. Therefore reads all records again.
    for (const pair of pairs) {
      if (pair.record) pair.record = this.#get(pair.record.key) ?? pair.record;
    }
    return pairs;
  }

  /**
   * Checks the servers of a request as `fetch` does, but inserts nothing. In the results, `inserted` is true for each
   * server that `fetch` would insert (see `Inserter.check`).
   */
  async checkServers(groups: readonly ServerGroup[], insertedBy: string): Promise<FetchedPair[]> {
    const { pairs, candidates } = this.#findPairs(groups, insertedBy);
    await this.#inserter.check(candidates);
    return pairs;
  }

  /** Looks up each different pair of game and address in a request. */
  #findPairs(groups: readonly ServerGroup[], insertedBy: string): Findings {
    const pairs: FetchedPair[] = [];
    const findings: Findings = { insertedBy, pairs, candidates: [], due: [] };
    const seen = new Set<string>();
    const games = this.#dependencies.catalog.current();
    for (const group of groups) {
      const game = games.find(group.gameId);
      for (const server of group.servers) {
        // `seen` contains each pair of game and address as a JSON array. Two different pairs never have the same JSON.
        // A string with a separator would be ambiguous, because a game id or an address from a caller can contain the
        // separator.
        const written = JSON.stringify([group.gameId, server]);
        if (seen.has(written)) continue;
        seen.add(written);
        const pair: FetchedPair = { gameId: group.gameId, server, inserted: false };
        pairs.push(pair);
        if (!game) pair.invalid = unknownGame;
        else this.#lookUp(pair, game.id, findings);
      }
    }
    return findings;
  }

  /**
   * Looks up one address of a request. Stores the record of its server in `pair`, or the reason why the address is
   * invalid. If the server must be inserted, adds it to `candidates`.
   */
  #lookUp(pair: FetchedPair, gameId: string, { insertedBy, candidates, due }: Findings): void {
    // First tries the address as the caller wrote it. Most callers use the canonical form, so the address is usually
    // found without parsing.
    const known = this.#get(serverKey(gameId, pair.server));
    if (known && !isAdopted(known, insertedBy)) {
      pair.record = known;
      return;
    }
    const address = checkAddress(pair.server, this.#dependencies.policy);
    if ('reason' in address) {
      pair.invalid = address;
      return;
    }
    const key = serverKey(gameId, address.canonical);
    const record =
      this.#get(key) ?? (insertedBy === OPERATOR ? undefined : this.#dependencies.givenUp.find(key, due));
    if (record && !isAdopted(record, insertedBy)) pair.record = record;
    else {
      const candidate = { pair, gameId, address: address.canonical };
      candidates.push(address.kind === 'name' ? { ...candidate, name: address.host } : candidate);
    }
  }

  #get(key: string): ServerRecord | undefined {
    return this.#dependencies.store.getMany([key])[0];
  }
}
