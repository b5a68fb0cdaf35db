import { ALL_BUCKETS, bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { Member, Ownership } from '../../../core/cluster/ownership.ts';

/** A fake cluster in one process: its members and the owner of each bucket (group of servers). Tests set the owners. */
export class FakeCluster {
  readonly members: Member[] = [];
  /** Id of the core that owns each bucket of servers; undefined if no core owns the bucket. */
  readonly owners: (string | undefined)[] = new Array(ALL_BUCKETS).fill(undefined);
  readonly #cores: FakeOwnership[] = [];

  /** Adds a core to the cluster, and returns the `Ownership` of this core. */
  join(self: Member): FakeOwnership {
    const ownership = new FakeOwnership(this, self);
    this.members.push(self);
    this.#cores.push(ownership);
    return ownership;
  }

  /**
   * Removes a core from the members of the cluster. Does not change `owners`, so the removed core still owns its
   * servers.
   */
  leave(id: string): void {
    this.members.splice(
      this.members.findIndex(member => member.id === id),
      1,
    );
    this.tellAll();
  }

  /** Distributes all groups of servers evenly over the members, and tells all cores the new owners. */
  spread(): void {
    for (let bucket = 0; bucket < ALL_BUCKETS; bucket++)
      this.owners[bucket] = this.members[bucket % this.members.length]?.id;
    this.tellAll();
  }

  /**
   * Makes a core the owner of the bucket that contains a server. If `id` is undefined, the bucket has no owner. The
   * other cores learn of this change only at the next call of `refresh` or `tellAll`.
   */
  setOwner(key: string, id: string | undefined): void {
    this.owners[bucketOfServer(key)] = id;
  }

  /** Returns the id of the core that owns a game server. */
  ownerOf(key: string): string | undefined {
    return this.owners[bucketOfServer(key)];
  }

  /** Tells all cores which core owns which servers now. */
  tellAll(): void {
    for (const core of this.#cores) core.tell();
  }
}

/**
 * The `Ownership` of one core of a `FakeCluster`. The core always knows which servers it owns. It learns the owners of
 * other servers only when `tellAll` or `refresh` calls `tell`.
 */
export class FakeOwnership implements Ownership {
  readonly self: Member;
  readonly #cluster: FakeCluster;
  #known: (string | undefined)[] = [];
  readonly #listeners = new Set<() => void>();
  /** Number of calls of `refresh`. A core calls `refresh` to learn the current owners of all servers. */
  refreshes = 0;
  /** False while a test pauses the core: a paused core owns no servers. */
  isValid = true;

  constructor(cluster: FakeCluster, self: Member) {
    this.#cluster = cluster;
    this.self = self;
  }

  get members(): readonly Member[] {
    return this.#cluster.members;
  }

  get lead(): Member | undefined {
    return this.members[0];
  }

  /** Number of registered listeners. They are called when the core learns of new owners of servers. */
  get watchers(): number {
    return this.#listeners.size;
  }

  owns(bucket: number): boolean {
    return this.isValid && this.#cluster.owners[bucket] === this.self.id;
  }

  ownerOf(bucket: number): Member | undefined {
    const id = this.#known[bucket];
    return id === undefined ? undefined : this.members.find(member => member.id === id);
  }

  refresh(): void {
    this.refreshes++;
    setImmediate(() => {
      if (this.#known.some((id, bucket) => id !== this.#cluster.owners[bucket])) this.tell();
    });
  }

  tell(): void {
    this.#known = [...this.#cluster.owners];
    for (const listener of [...this.#listeners]) listener();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {}
}
