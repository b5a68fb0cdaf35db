import type { AddressGroup } from '../../proto/generated/codec/fetch.ts';
import type { InsertGuard } from '../admission/insert-guard.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { ClusterServers } from './cluster-servers.ts';
import type { FetchedPair, FetchSink, ServerGroup } from './fetch-request.ts';
import { Inserter, type InserterDependencies } from './inserter.ts';
import { KnownServers } from './known-servers.ts';
import { type InvalidReason, unknownGame } from './pair-check.ts';
import { RemoteAnswers } from './remote-answers.ts';
import { isUnsettled, RemotePairs } from './remote-pairs.ts';
import { type Findings, ServerLookup } from './server-lookup.ts';
import { serverKey } from './server-record.ts';
import type { FragmentCache } from './server-store.ts';

/** Dependencies of `ServerFetch`. */
export interface ServerFetchDependencies extends InserterDependencies {
  catalog: { current(): CatalogSnapshot };
  guard: InsertGuard;
  /** The servers that other cores own. Undefined if this core owns all servers. */
  cluster?: ClusterServers | undefined;
}

/**
 * What a fetch has found out about the requested pairs of game and address. `pairs`: these pairs in the order of the
 * request, without duplicates.
 */
interface FoundPairs extends Findings {
  pairs: FetchedPair[];
}

/**
 * Answers fetches (requests for servers by address): returns stored servers, and inserts valid pairs of game and
 * address that are unknown (SPEC, fetch rules).
 */
export class ServerFetch {
  readonly #dependencies: ServerFetchDependencies;
  readonly #inserter: Inserter;
  readonly #known: KnownServers;
  readonly #lookup: ServerLookup;
  /** Fetches servers from the other cores. Undefined if this core owns all servers. */
  readonly #remotePairs: RemotePairs | undefined;
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
    const { cluster, guard } = dependencies;
    this.#lookup = new ServerLookup(dependencies);
    this.#remotePairs = cluster && new RemotePairs(cluster, guard);
  }

  /** Number of requested pairs of game and address that were invalid, keyed by reason. */
  get invalid(): Readonly<Record<InvalidReason, number>> {
    return this.#invalid;
  }

  /**
   * Cache that contains JSON in pieces, one piece for each server. Plain JSON answers are concatenated from these
   * pieces.
   */
  get plainFragments(): FragmentCache {
    return this.#dependencies.store.plainFragments;
  }

  /**
   * Cache that contains compressed JSON, one piece for each server. Gzip answers are concatenated from these pieces.
   */
  get fragments(): FragmentCache {
    return this.#dependencies.store.fragments;
  }

  /**
   * Fast path of a fetch: finds the servers of a request, and passes them to `sink` (the receiver of the results).
   * `answers`: the servers that other cores returned after `askOwners`, if it was called. Returns true if `sink` got
   * all servers. Returns false if the fast path cannot answer the request, for example because a server is not tracked.
   * The caller must then discard the content of `sink`, and call `askOwners` or `fetch`.
   */
  findKnown(groups: readonly AddressGroup[], sink: FetchSink, answers?: RemoteAnswers): boolean {
    const known = this.#known;
    if (!known.find(groups, sink, answers)) return false;
    for (const reason of known.invalid) this.#invalid[reason]++;
    if (known.due.length > 0) this.#inserter.retry([...known.due]);
    return true;
  }

  /**
   * Asks the other cores for those requested servers that they own. Call this method directly after `findKnown`
   * returned false. If this method returns undefined, `fetch` must answer the whole request. Otherwise, wait for
   * `received` of the result, and call `findKnown` again with the result as `answers`. `typed`: true for answers in
   * protobuf, false for JSON. Throws ServiceError CORE_1 if too many servers already wait for the answer of a core.
   */
  askOwners(typed: boolean): RemoteAnswers | undefined {
    const { remote } = this.#known;
    return remote.length > 0 ? new RemoteAnswers(remote, typed) : undefined;
  }

  /** Number of invalid addresses that the last call of `findKnown` found. */
  get knownInvalid(): number {
    return this.#known.invalid.length;
  }

  /**
   * Passes the servers of the last `findKnown` call to another `sink` (receiver of results), without a new search. So
   * the caller can build the answer again in another form. `groups`: the request that `findKnown` got. Call this method
   * only if `findKnown` got no `answers`, and before the store changes.
   */
  writeFound(groups: readonly AddressGroup[], sink: FetchSink): void {
    this.#known.writeTo(sink, groups);
  }

  /**
   * Looks up servers, and inserts unknown ones durably. Waits up to `waitMs` for first replies. Resolves to one result
   * for each different pair of game and address, in the order of the request.
   */
  async fetch(groups: readonly ServerGroup[], insertedBy: string, waitMs: number): Promise<FetchedPair[]> {
    const findings = this.#findPairs(groups, insertedBy);
    const { pairs, candidates, due } = findings;
    if (due.length > 0) this.#inserter.retry(due);
    let hasInserts = candidates.length > 0;
    const inserts = hasInserts ? this.#inserter.insert(candidates, insertedBy, waitMs) : undefined;
    if (this.#remotePairs) {
      hasInserts = await this.#fetchRemote(this.#remotePairs, findings, inserts, waitMs);
    } else if (inserts) await inserts;
    for (const { invalid } of pairs) if (invalid) this.#invalid[invalid.reason]++;
    if (!hasInserts) return pairs;
    // Reads all records again, because a record can change while host names are looked up and servers are inserted.
    for (const pair of pairs) {
      if (pair.record) pair.record = this.#lookup.find(pair.record.key) ?? pair.record;
    }
    return pairs;
  }
  /**
   * Checks the servers of a request as `fetch` does, but inserts nothing. In the results, `inserted` is true for each
   * server that `fetch` would insert (see `Inserter.check`).
   */
  async checkServers(groups: readonly ServerGroup[], insertedBy: string): Promise<FetchedPair[]> {
    const { pairs, candidates, remote } = this.#findPairs(groups, insertedBy);
    await Promise.all([this.#inserter.check(candidates), this.#remotePairs?.check(remote, insertedBy)]);
    return pairs;
  }

  /**
   * Fetches those servers of a request that other cores own. Meanwhile, this core makes its own inserts for the
   * request. `inserts` resolves when they are done; this method also waits for `inserts`. Resolves to true if this core
   * or another core had to insert a server.
   */
  async #fetchRemote(
    remotePairs: RemotePairs,
    { insertedBy, candidates, remote }: Findings,
    inserts: Promise<void> | undefined,
    waitMs: number,
  ): Promise<boolean> {
    const [hasRemoteInserts] = await Promise.all([remotePairs.fetch(remote, insertedBy, waitMs), inserts]);
    // Another core can become the owner of servers while this core inserts them. Such servers are fetched from the new
    // owner.
    const { cluster } = this.#dependencies;
    const lost = candidates.filter(
      ({ pair, gameId, address }) =>
        isUnsettled(pair) && cluster?.isRemote(serverKey(gameId, address)) === true,
    );
    for (const { pair } of lost) delete pair.invalid;
    await remotePairs.fetch(lost, insertedBy, 0);
    const hasInserts = hasRemoteInserts || candidates.length > 0;
    if (hasInserts) await remotePairs.readAgain(remote);
    return hasInserts;
  }

  /** Looks up each different pair of game and address in a request. */
  #findPairs(groups: readonly ServerGroup[], insertedBy: string): FoundPairs {
    const pairs: FetchedPair[] = [];
    const findings: FoundPairs = { insertedBy, pairs, candidates: [], due: [], remote: [] };
    const seen = new Set<string>();
    const games = this.#dependencies.catalog.current();
    for (const group of groups) {
      const game = games.find(group.gameId);
      for (const server of group.servers) {
        // `seen` contains pairs of game and address as JSON. With only a separator between game and address, two
        // different pairs could give the same string.
        const written = JSON.stringify([group.gameId, server]);
        if (seen.has(written)) continue;
        seen.add(written);
        const pair: FetchedPair = { gameId: group.gameId, server, inserted: false };
        pairs.push(pair);
        if (!game) pair.invalid = unknownGame;
        else this.#lookup.lookUp(pair, game.id, findings);
      }
    }
    return findings;
  }
}
