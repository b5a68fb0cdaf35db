import type { AccessNames } from '../credentials/server-credentials.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import type { ClusterServers } from './cluster-servers.ts';
import { SERVERS } from './server-entry.ts';
import { type ServerRecord, splitKey } from './server-record.ts';
import type { ServerStore } from './server-store.ts';

/** Dependencies of `ServerRecords`, which reads the records of servers. */
export interface ServerRecordsDependencies {
  store: Pick<ServerStore, 'getMany'>;
  engine: Pick<StorageEngine, 'entries'>;
  credentials: { namesOf(key: string): AccessNames | undefined };
  /** The servers of the other cores; undefined if this core owns all servers. */
  cluster?: ClusterServers | undefined;
}

/**
 * The record of a tracked server, and a summary of its credentials: the secret and the options with which gsq queries
 * the server.
 */
export interface ListedServer {
  record: ServerRecord;
  /** Summary of the stored secret and options of the server; undefined if the server has neither. */
  access: AccessNames | undefined;
}

/** Number of servers that `all` reads at a time. */
const PAGE = 1_000;

/** Reads the records of tracked servers by key, from this core or from the cores that own them. */
export class ServerRecords {
  readonly #dependencies: ServerRecordsDependencies;

  constructor(dependencies: ServerRecordsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the records of the servers with these keys (`serverKey`), in the same order. The result for an untracked
   * server is undefined. Rejects with ServiceError CORE_1 if the core of a server does not answer in time.
   */
  async readRecords(keys: readonly string[]): Promise<readonly (ServerRecord | undefined)[]> {
    const { store, cluster } = this.#dependencies;
    if (!cluster) return store.getMany(keys);
    return (await this.#read(cluster, keys)).map(found => found?.record);
  }

  /**
   * Returns at most `limit` servers whose key starts with `prefix` and comes after `afterKey`, sorted by key. Includes
   * the servers of all cores.
   */
  async list(prefix: string, afterKey: string, limit: number): Promise<ListedServer[]> {
    const { engine } = this.#dependencies;
    const listed: ListedServer[] = [];
    let keys: string[] = [];
    const readKeys = async (): Promise<void> => {
      listed.push(...(await this.#readServers(keys)).filter(server => server !== undefined));
      keys = [];
    };
    for await (const [key] of engine.entries(SERVERS + prefix, SERVERS + afterKey)) {
      keys.push(key.slice(SERVERS.length));
      if (listed.length + keys.length === limit) await readKeys();
      if (listed.length === limit) return listed;
    }
    await readKeys();
    return listed;
  }

  /**
   * Yields the records of the servers of all cores, sorted by key. Yields each server at most once, even if servers are
   * inserted or removed meanwhile. Rejects with ServiceError CORE_1 if a core does not answer.
   */
  async *all(): AsyncGenerator<ServerRecord, undefined> {
    for await (const keys of this.keyPages('', PAGE))
      for (const record of await this.readRecords(keys)) if (record) yield record;
  }

  /**
   * Yields the keys of the servers of all cores whose key starts with `prefix`, sorted, in pages of `size` keys. Only
   * the last page has fewer keys; it may be empty. Reads the keys from the storage engine only once: with Redis or
   * Valkey, a call of `list` for each page would read all keys of the store for each page.
   */
  async *keyPages(prefix: string, size: number): AsyncGenerator<readonly string[], undefined> {
    let keys: string[] = [];
    for await (const [key] of this.#dependencies.engine.entries(SERVERS + prefix, SERVERS)) {
      keys.push(key.slice(SERVERS.length));
      if (keys.length < size) continue;
      yield keys;
      keys = [];
    }
    yield keys;
  }

  async #readServers(keys: readonly string[]): Promise<(ListedServer | undefined)[]> {
    const { cluster } = this.#dependencies;
    return cluster ? this.#read(cluster, keys) : keys.map(key => this.#readLocal(key));
  }

  async #read(cluster: ClusterServers, keys: readonly string[]): Promise<(ListedServer | undefined)[]> {
    const remote: string[] = [];
    const found = keys.map(key => {
      if (!cluster.isRemote(key)) return this.#readLocal(key);
      remote.push(key);
      return undefined;
    });
    if (remote.length === 0) return found;
    const servers = remote.map(key => {
      const [gameId, address] = splitKey(key);
      return { gameId, address };
    });
    const results = await cluster.fetch('read', servers, '', 0, cluster.deadline(0));
    const answers = new Map(remote.map((key, i) => [key, results[i]]));
    return found.map((local, i) => {
      const answer = answers.get(keys[i] ?? '');
      return answer?.record ? { record: answer.record, access: answer.access } : local;
    });
  }

  #readLocal(key: string): ListedServer | undefined {
    const { store, credentials } = this.#dependencies;
    const [record] = store.getMany([key]);
    return record && { record, access: credentials.namesOf(key) };
  }
}
