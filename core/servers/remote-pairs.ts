import { type InsertGuard, OPERATOR } from '../admission/insert-guard.ts';
import type { ClusterServers, PartResult } from './cluster-servers.ts';
import type { FetchedPair } from './fetch-request.ts';
import { noWrites } from './pair-check.ts';
import type { RemotePair } from './server-lookup.ts';
import { serverKey } from './server-record.ts';

/** A server that another core owns, with all pairs of a request that name it. */
interface RemoteServer {
  gameId: string;
  address: string;
  pairs: FetchedPair[];
}

/**
 * Fetches the servers of a request that other cores own, and stores the results in their pairs of game and address. The
 * results are the same as if this core owned the servers.
 */
export class RemotePairs {
  readonly #cluster: ClusterServers;
  readonly #guard: Pick<InsertGuard, 'countRate' | 'uncountRate'>;

  constructor(cluster: ClusterServers, guard: Pick<InsertGuard, 'countRate' | 'uncountRate'>) {
    this.#cluster = cluster;
    this.#guard = guard;
  }

  /**
   * Looks up the servers at their owners, and inserts unknown servers. Resolves to true if at least one server had to
   * be inserted. Rejects with ServiceError CORE_1 if an owner does not answer in time.
   *
   * This core counts the inserts against the rates of the token, and the owner counts the unconfirmed servers. First
   * asks the owners which servers they would insert, because known servers must not count.
   */
  async fetch(remote: readonly RemotePair[], insertedBy: string, waitMs: number): Promise<boolean> {
    const servers = distinctServers(remote);
    if (servers.length === 0) return false;
    const deadline = this.#cluster.deadline(waitMs);
    // The operator adopts servers, and no rate limits the operator. Therefore the owners insert without a check.
    const unknown =
      insertedBy === OPERATOR ? servers : await this.#checkUnknown(servers, insertedBy, deadline);
    const counted = unknown.filter(server => insertedBy === OPERATOR || this.#countRate(server, insertedBy));
    if (counted.length === 0) return unknown.length > 0;
    let uninserted = counted.length;
    try {
      const results = await this.#cluster.fetch('insert', counted, insertedBy, waitMs, deadline);
      for (const [i, server] of counted.entries()) settle(server, results[i]);
      uninserted = results.filter(({ inserted }) => !inserted).length;
    } finally {
      if (insertedBy !== OPERATOR) for (let i = 0; i < uninserted; i++) this.#guard.uncountRate(insertedBy);
    }
    return true;
  }

  /** Checks the servers as `fetch` does, but inserts nothing (see `ServerFetch.checkServers`). */
  async check(remote: readonly RemotePair[], insertedBy: string): Promise<void> {
    const servers = distinctServers(remote);
    if (servers.length === 0) return;
    const results = await this.#cluster.fetch('check', servers, insertedBy, 0, this.#cluster.deadline(0));
    for (const [i, server] of servers.entries()) settle(server, results[i]);
  }

  /**
   * Reads the records again, because they can change during the inserts of a fetch. If an owner does not answer, keeps
   * the records that the fetch has found.
   */
  async readAgain(remote: readonly RemotePair[]): Promise<void> {
    const servers = distinctServers(remote.filter(({ pair }) => pair.record));
    if (servers.length === 0) return;
    const deadline = this.#cluster.deadline(0);
    const results = await this.#cluster.fetch('read', servers, '', 0, deadline).catch(() => []);
    for (const [i, { pairs }] of servers.entries()) {
      const record = results[i]?.record;
      if (record) for (const pair of pairs) pair.record = record;
    }
  }

  /** Stores the results for known and invalid servers in their pairs. Returns the servers that must be inserted. */
  async #checkUnknown(
    servers: readonly RemoteServer[],
    insertedBy: string,
    deadline: number,
  ): Promise<RemoteServer[]> {
    const results = await this.#cluster.fetch('check', servers, insertedBy, 0, deadline);
    return servers.filter((server, i) => {
      const result = results[i];
      if (result?.inserted) return true;
      settle(server, result);
      return false;
    });
  }

  /** Counts an insert of the token. If a rate is reached, marks the pairs of the server as invalid and returns false. */
  #countRate({ pairs }: RemoteServer, insertedBy: string): boolean {
    const refusal = this.#guard.countRate(insertedBy);
    if (refusal) for (const pair of pairs) pair.invalid = refusal;
    return refusal === undefined;
  }
}

function distinctServers(remote: readonly RemotePair[]): RemoteServer[] {
  const servers = new Map<string, RemoteServer>();
  for (const { pair, gameId, address } of remote) {
    const key = serverKey(gameId, address);
    const server = servers.get(key);
    if (server) server.pairs.push(pair);
    else servers.set(key, { gameId, address, pairs: [pair] });
  }
  return [...servers.values()];
}

/**
 * True if an insert ended without a result that holds if this core does not own the server any more: the storage engine
 * refused the insert, or the record is gone.
 */
export function isUnsettled({ record, invalid }: Pick<PartResult, 'record' | 'invalid'>): boolean {
  return invalid ? invalid === noWrites : record === undefined;
}

/** Stores a result in all pairs of a server. Only the first pair can be the one that inserted the server. */
function settle({ pairs }: RemoteServer, result: PartResult | undefined): void {
  const [first] = pairs;
  if (first && result?.inserted) first.inserted = true;
  for (const pair of pairs) {
    if (result?.record) pair.record = result.record;
    if (result?.invalid) pair.invalid = result.invalid;
  }
}
