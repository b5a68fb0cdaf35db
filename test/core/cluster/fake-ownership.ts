import { ALL_BUCKETS, bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { Member, Ownership } from '../../../core/cluster/ownership.ts';

/** The owners of all buckets of a cluster in one process. A test changes the owners. */
export class FakeCluster {
  readonly members: Member[] = [];
  /** Id of the owner of each bucket; undefined if nobody owns the bucket. */
  readonly owners: (string | undefined)[] = new Array(ALL_BUCKETS).fill(undefined);
  readonly #cores: FakeOwnership[] = [];

  /** Adds a core, and returns its ownership. */
  join(self: Member): FakeOwnership {
    const ownership = new FakeOwnership(this, self);
    this.members.push(self);
    this.#cores.push(ownership);
    return ownership;
  }

  /** Removes a core from the members. Its buckets keep their owner in `owners`. */
  leave(id: string): void {
    this.members.splice(
      this.members.findIndex(member => member.id === id),
      1,
    );
    this.tellAll();
  }

  /** Spreads all buckets over the members in turn, and tells all cores. */
  spread(): void {
    for (let bucket = 0; bucket < ALL_BUCKETS; bucket++)
      this.owners[bucket] = this.members[bucket % this.members.length]?.id;
    this.tellAll();
  }

  /**
   * Gives the bucket of a server to a core, or to nobody. The other cores do not know it before they call `refresh`.
   */
  setOwner(key: string, id: string | undefined): void {
    this.owners[bucketOfServer(key)] = id;
  }

  /** Returns the id of the owner of a server. */
  ownerOf(key: string): string | undefined {
    return this.owners[bucketOfServer(key)];
  }

  /** Tells all cores the members and the owners. */
  tellAll(): void {
    for (const core of this.#cores) core.tell();
  }
}

/** The `Ownership` of one core of a `FakeCluster`. Its knowledge of the other owners is as old as its last `tell`. */
export class FakeOwnership implements Ownership {
  readonly self: Member;
  readonly #cluster: FakeCluster;
  #known: (string | undefined)[] = [];
  readonly #listeners = new Set<() => void>();
  /** Number of calls of `refresh`. */
  refreshes = 0;

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

  /** Number of functions that watch the owners. */
  get watchers(): number {
    return this.#listeners.size;
  }

  owns(bucket: number): boolean {
    return this.#cluster.owners[bucket] === this.self.id;
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
