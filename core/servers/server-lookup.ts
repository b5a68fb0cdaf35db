import { OPERATOR } from '../admission/insert-guard.ts';
import type { ClusterServers } from './cluster-servers.ts';
import type { FetchedPair } from './fetch-request.ts';
import { type Candidate, type InserterDependencies, isAdopted } from './inserter.ts';
import { checkAddress } from './pair-check.ts';
import { type ServerRecord, serverKey } from './server-record.ts';

/** Dependencies of `ServerLookup`. */
export interface ServerLookupDependencies extends Pick<InserterDependencies, 'store' | 'givenUp' | 'policy'> {
  /** The servers that other cores own. Undefined if this core owns all servers. */
  cluster?: Pick<ClusterServers, 'isRemote' | 'isPaused'> | undefined;
}

/** A pair of game and address whose server another core owns. */
export interface RemotePair {
  pair: FetchedPair;
  gameId: string;
  /** Address of the server in the canonical form `host:port`. */
  address: string;
}

/** The servers that a fetch must still insert, probe, or request from other cores. */
export interface Findings {
  /** Id of the token with which the fetch is made, or OPERATOR. */
  insertedBy: string;
  /** Pairs of game and address whose servers must be inserted. */
  candidates: Candidate[];
  /** Servers that gsq gave up because they never answered, and that must be probed again now. */
  due: ServerRecord[];
  /** Pairs of game and address whose servers other cores own. */
  remote: RemotePair[];
}

/**
 * Looks up each requested server of a fetch by its game and address. Finds out whether the server is tracked, must be
 * inserted, or belongs to another core.
 */
export class ServerLookup {
  readonly #dependencies: ServerLookupDependencies;

  constructor(dependencies: ServerLookupDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Looks up one pair of game and address. Writes the record or the error to `pair`. Adds the pair to `candidates` if
   * the server must be inserted, or to `remote` if another core owns it.
   */
  lookUp(pair: FetchedPair, gameId: string, { insertedBy, candidates, due, remote }: Findings): void {
    const { policy, givenUp, cluster } = this.#dependencies;
    // Looks up the address in the form that the caller wrote. Most callers use the canonical form, so the address is
    // usually found without parsing.
    const known = this.find(serverKey(gameId, pair.server));
    if (known && !isAdopted(known, insertedBy)) {
      pair.record = known;
      return;
    }
    const address = checkAddress(pair.server, policy);
    if ('reason' in address) {
      pair.invalid = address;
      return;
    }
    const key = serverKey(gameId, address.canonical);
    if (cluster?.isRemote(key)) {
      remote.push({ pair, gameId, address: address.canonical });
      return;
    }
    const record = this.find(key) ?? (insertedBy === OPERATOR ? undefined : givenUp.find(key, due));
    if (record && !isAdopted(record, insertedBy)) pair.record = record;
    else {
      const candidate = { pair, gameId, address: address.canonical };
      candidates.push(address.kind === 'name' ? { ...candidate, name: address.host } : candidate);
    }
  }

  /**
   * Returns the record of the tracked server with this `serverKey`. Returns undefined while this core is paused,
   * because its lease in the cluster may have ended.
   */
  find(key: string): ServerRecord | undefined {
    const { store, cluster } = this.#dependencies;
    return cluster?.isPaused ? undefined : store.getMany([key])[0];
  }
}
