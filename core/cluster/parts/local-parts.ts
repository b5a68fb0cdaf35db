import type { InsertGuard } from '../../admission/insert-guard.ts';
import type { ServerCredentials } from '../../credentials/server-credentials.ts';
import { changeServers } from '../../servers/change-servers.ts';
import type { PartAction, PartChange, PartResult, ServerRef } from '../../servers/cluster-servers.ts';
import type { FetchedPair } from '../../servers/fetch-request.ts';
import { Inserter, type InserterDependencies } from '../../servers/inserter.ts';
import { isUnsettled } from '../../servers/remote-pairs.ts';
import { type Findings, ServerLookup } from '../../servers/server-lookup.ts';
import { serverKey } from '../../servers/server-record.ts';
import { bucketOfServer } from '../buckets.ts';
import type { Ownership } from '../ownership.ts';

/** Dependencies of `LocalParts`, which reads and changes the servers of this core. */
export interface LocalPartsDependencies extends InserterDependencies {
  guard: InsertGuard;
  ownership: Pick<Ownership, 'owns'>;
  credentials: Pick<ServerCredentials, 'changeAccess' | 'namesOf'>;
  now: () => number;
}

/**
 * Reads, inserts and changes servers that this core owns, for calls that any core of the cluster has received. For a
 * server that another core owns, the result is undefined, and the caller must ask that core.
 */
export class LocalParts {
  readonly #dependencies: LocalPartsDependencies;
  readonly #inserter: Inserter;
  readonly #lookup: ServerLookup;

  constructor(dependencies: LocalPartsDependencies) {
    this.#dependencies = dependencies;
    this.#inserter = new Inserter({ ...dependencies, guard: dependencies.guard.withoutRates });
    this.#lookup = new ServerLookup(dependencies);
  }

  /**
   * Reads, inserts or checks servers, depending on `action`. The results have the order of `servers`. Does not count
   * inserts against the token's rate limits, because the core that received the call has already counted them.
   */
  async fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
  ): Promise<(PartResult | undefined)[]> {
    const keys = servers.map(({ gameId, address }) => serverKey(gameId, address));
    if (action === 'read') return keys.map(key => (this.#owns(key) ? this.#read(key) : undefined));
    const findings: Findings = { insertedBy, candidates: [], due: [], remote: [] };
    const { candidates, due } = findings;
    const pairs = servers.map(({ gameId, address }, i): FetchedPair | undefined => {
      if (!this.#owns(keys[i])) return undefined;
      const pair: FetchedPair = { gameId, server: address, inserted: false };
      this.#lookup.lookUp(pair, gameId, findings);
      return pair;
    });
    if (due.length > 0) this.#inserter.retry(due);
    if (candidates.length > 0) {
      if (action === 'insert') await this.#inserter.insert(candidates, insertedBy, waitMs);
      else await this.#inserter.check(candidates);
    }
    return pairs.map((pair, i) => (pair && this.#owns(keys[i]) ? pair : settledOf(pair)));
  }

  /**
   * Changes the servers with these keys. Returns one result for each key: true if the server was tracked, false if not,
   * undefined if this core does not own the server. Rejects with NoWrites if the storage engine refuses the change.
   */
  async change(change: PartChange, keys: readonly string[]): Promise<(boolean | undefined)[]> {
    const buckets = new Map<number, number[]>();
    for (const [i, key] of keys.entries()) {
      const bucket = bucketOfServer(key);
      buckets.set(bucket, [...(buckets.get(bucket) ?? []), i]);
    }
    const { ownership } = this.#dependencies;
    const results: (boolean | undefined)[] = keys.map(() => undefined);
    // Changes the servers of each bucket (group of servers with one owner) separately. If this core loses one bucket
    // during the change, the changes in its other buckets do not fail.
    const changes = [...buckets].map(async ([bucket, indexes]) => {
      if (!ownership.owns(bucket)) return;
      const ofBucket = indexes.map(i => keys[i] ?? '');
      try {
        const done = await changeServers(this.#dependencies, change, ofBucket);
        for (const [n, i] of indexes.entries()) results[i] = done[n] === true;
      } catch (error) {
        // If another core now owns the bucket (group of servers), the storage engine refuses this write. The error is
        // ignored, because the caller repeats the change at the new owner.
        if (ownership.owns(bucket)) throw error;
      }
    });
    const ended = await Promise.allSettled(changes);
    const failed = ended.find(end => end.status === 'rejected');
    if (failed) throw failed.reason;
    return results;
  }

  #owns(key = ''): boolean {
    return this.#dependencies.ownership.owns(bucketOfServer(key));
  }

  #read(key: string): PartResult {
    const record = this.#lookup.find(key);
    const access = record && this.#dependencies.credentials.namesOf(key);
    return { ...(record && { record }), ...(access && { access }), inserted: false };
  }
}

/**
 * Returns the final result for a server that this core has lost during `fetch`, if the work was finished before the
 * loss. Returns undefined if it was not finished, or if this core did not own the server when `fetch` began. The caller
 * must then ask the owner.
 */
function settledOf(pair: FetchedPair | undefined): PartResult | undefined {
  return pair && !isUnsettled(pair) ? pair : undefined;
}
