import { type InsertGuard, OPERATOR } from '../admission/insert-guard.ts';
import type { ClusterServers, PartResult } from './cluster-servers.ts';
import type { FetchedPair } from './fetch-request.ts';
import { noWrites } from './pair-check.ts';
import type { RemotePair } from './server-lookup.ts';
import { serverKey } from './server-record.ts';

/** A server that another core owns. `pairs`: all pairs of game and address in the request that name this server. */
interface RemoteServer {
  gameId: string;
  address: string;
  pairs: FetchedPair[];
}

/**
 * Fetches those servers of a request that other cores of the cluster own. Writes the result to each pair of game and
 * address that names the server.
 */
export class RemotePairs {
  readonly #cluster: ClusterServers;
  readonly #guard: Pick<InsertGuard, 'now' | 'countRate' | 'uncountRate'>;

  constructor(cluster: ClusterServers, guard: Pick<InsertGuard, 'now' | 'countRate' | 'uncountRate'>) {
    this.#cluster = cluster;
    this.#guard = guard;
  }

  /**
   * Looks up servers at the cores that own them. Servers that gsq does not know yet are inserted there. Resolves to
   * true if a server had to be inserted. Rejects with ServiceError CORE_1 if an owner does not answer in time.
   */
  async fetch(remote: readonly RemotePair[], insertedBy: string, waitMs: number): Promise<boolean> {
    const servers = distinctServers(remote);
    if (servers.length === 0) return false;
    const deadline = this.#cluster.deadline(waitMs);
    // Only unknown servers count against a token's insert limits, so this core first asks the other cores which servers
    // are unknown. The operator has no limits, so all servers are inserted.
    const unknown =
      insertedBy === OPERATOR ? servers : await this.#checkUnknown(servers, insertedBy, deadline);
    const countedAt = this.#guard.now();
    const counted = unknown.filter(server => insertedBy === OPERATOR || this.#countRate(server, insertedBy));
    if (counted.length === 0) return unknown.length > 0;
    let uninserted = counted.length;
    try {
      // This core has checked the rate limits of the token. The core that owns a server checks another limit of the
      // token: the number of the token's servers that have never answered.
      const results = await this.#cluster.fetch('insert', counted, insertedBy, waitMs, deadline);
      for (const [i, server] of counted.entries()) settle(server, results[i]);
      uninserted = results.filter(({ inserted }) => !inserted).length;
    } finally {
      if (insertedBy !== OPERATOR)
        for (let i = 0; i < uninserted; i++) this.#guard.uncountRate(insertedBy, countedAt);
    }
    return true;
  }

  /**
   * Checks servers of other cores before an insert, as `fetch` does, but inserts nothing (see
   * `ServerFetch.checkServers`).
   */
  async check(remote: readonly RemotePair[], insertedBy: string): Promise<void> {
    const servers = distinctServers(remote);
    if (servers.length === 0) return;
    const results = await this.#cluster.fetch('check', servers, insertedBy, 0, this.#cluster.deadline(0));
    for (const [i, server] of servers.entries()) settle(server, results[i]);
  }

  /**
   * Reads the records of servers again from the cores that own them, because the records can have changed while the
   * request waited for its inserts. If one of these cores does not answer, all records stay as they are.
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

  /**
   * Asks the cores that own the servers, and returns the servers that these cores do not know. Writes the results of
   * the known servers to all their pairs of game and address.
   */
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

  /**
   * Counts the insert of a server against the rate limits of the token. If a limit is reached, marks all pairs of the
   * server as invalid, and returns false.
   */
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
 * True if an insert of a server has no final result: the store refused the write, or the result contains no server
 * record. The caller must then ask again, because another core perhaps owns the server now.
 */
export function isUnsettled({ record, invalid }: Pick<PartResult, 'record' | 'invalid'>): boolean {
  return invalid ? invalid === noWrites : record === undefined;
}

/**
 * Copies the result for a server to each pair of game and address that names the server. Marks only the first pair as
 * inserted.
 */
function settle({ pairs }: RemoteServer, result: PartResult | undefined): void {
  const [first] = pairs;
  if (first && result?.inserted) first.inserted = true;
  for (const pair of pairs) {
    if (result?.record) pair.record = result.record;
    if (result?.invalid) pair.invalid = result.invalid;
  }
}
