import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { bucketOfServer } from './buckets.ts';
import type { ClusterRecords } from './cluster-records.ts';
import type { Later } from './later.ts';
import type { Member, Ownership } from './ownership.ts';
import { PeerFollower } from './peer-follower.ts';
import type { Peers } from './peers.ts';

/** Pause before the next attempt to read records, after a failed attempt, ms. */
const RETRY_MS = 1_000;

/** Dependencies of `PeerProbes`, which passes the new records of chosen servers to a listener. */
export interface PeerProbesDependencies {
  /** Calls a listener with each new record of the servers that this core owns. */
  changes: ServerChanges;
  ownership: Ownership;
  peers: Peers;
  readRecords: ClusterRecords['readRecords'];
  later: Later;
}

type Listener = (server: ServerRecord) => void;

/** The followed servers that one core owns, and a function that stops following them. */
interface Group {
  keys: string[];
  stop(): void;
}

/**
 * Passes each new record of certain servers to a listener, whichever core owns the server. If this core may have missed
 * records of some servers, reads their records, so the newest record of each server always arrives.
 */
export class PeerProbes {
  readonly #dependencies: PeerProbesDependencies;
  /**
   * For each server, the version of the newest record that was passed to the constructor or to the listener. Keyed by
   * `serverKey`.
   */
  readonly #versions: Map<string, number>;
  readonly #groups = new Map<string, Group>();
  /** Keys of servers whose records must be read again, because this core may have missed a new record. */
  readonly #unread = new Set<string>();
  #isReading = false;
  #isClosed = false;
  #cancelRetry: (() => void) | undefined;

  /**
   * `records`: server records that the caller has already read. `listener` gets only newer records of these servers.
   */
  constructor(dependencies: PeerProbesDependencies, records: readonly ServerRecord[]) {
    this.#dependencies = dependencies;
    this.#versions = new Map(records.map(({ key, version }) => [key, version]));
  }

  /**
   * Calls `listener` with each new record of the servers with these keys, even if other cores own them. The returned
   * function stops the calls. This method can be called only once.
   */
  follow(keys: readonly string[], listener: Listener): () => void {
    const regroup = (): void => this.#regroup(keys, listener);
    const unwatch = this.#dependencies.ownership.watch(regroup);
    regroup();
    return () => {
      this.#isClosed = true;
      unwatch();
      this.#cancelRetry?.();
      for (const group of this.#groups.values()) group.stop();
    };
  }

  /**
   * Groups the followed servers by the core that owns them. Subscribes to the records of each group at its core. Keeps
   * the subscriptions of unchanged groups.
   */
  #regroup(keys: readonly string[], listener: Listener): void {
    const { ownership } = this.#dependencies;
    const owners = new Map<string, { owner: Member; keys: string[] }>();
    for (const key of keys) {
      const owner = ownership.ownerOf(bucketOfServer(key));
      if (!owner) continue;
      const same = owners.get(owner.id);
      if (same) same.keys.push(key);
      else owners.set(owner.id, { owner, keys: [key] });
    }
    for (const [id, group] of this.#groups) {
      if (isSame(owners.get(id)?.keys, group.keys)) continue;
      group.stop();
      this.#groups.delete(id);
    }
    for (const [id, { owner, keys: owned }] of owners) {
      if (!this.#groups.has(id)) this.#groups.set(id, this.#followOwner(owner, owned, listener));
    }
  }

  #followOwner(owner: Member, keys: string[], listener: Listener): Group {
    const { changes, ownership, peers, later } = this.#dependencies;
    const pass = (record: ServerRecord): void => {
      this.#unread.delete(record.key);
      this.#versions.set(record.key, record.version);
      listener(record);
    };
    const readAll = (): void => {
      for (const key of keys) this.#unread.add(key);
      void this.#read(pass);
    };
    if (owner.id === ownership.self.id) {
      const stop = changes.follow(keys, pass);
      readAll();
      return { keys, stop };
    }
    const follower = new PeerFollower({
      ...{ peers, peer: owner, later, probedKeys: keys },
      onBegin: readAll,
      onChange(_key, { after }) {
        if (after) pass(after);
      },
      onBreak() {},
    });
    return { keys, stop: () => follower.close() };
  }

  /**
   * Reads the records of the servers in `#unread`. If a new record of a server arrives from its owner during the read,
   * ignores the record that was read.
   */
  async #read(pass: Listener): Promise<void> {
    while (!this.#isReading && !this.#isClosed && this.#unread.size > 0) {
      this.#isReading = true;
      const keys = [...this.#unread];
      try {
        const records = await this.#dependencies.readRecords(keys);
        if (this.#isClosed) return;
        keys.forEach((key, i) => {
          const record = records[i];
          if (!this.#unread.delete(key) || !record || record.version === this.#versions.get(key)) return;
          pass(record);
        });
      } catch {
        this.#cancelRetry?.();
        this.#cancelRetry = this.#dependencies.later(RETRY_MS, () => void this.#read(pass));
        return;
      } finally {
        this.#isReading = false;
      }
    }
  }
}

function isSame(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a?.length === b.length && a.every((key, i) => key === b[i]);
}
