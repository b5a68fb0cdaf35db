import { ALL_BUCKETS } from './buckets.ts';
import { type ListedMember, NO_OWNER, type OwnersView } from './owner-table.ts';
import type { Member } from './ownership.ts';

/** The members (cores) of a cluster and the owners of the buckets (groups of servers), as one member knows them. */
export class ClusterView {
  readonly #self: Member;
  #version = '';
  /** The members of the cluster, in the order of the owner table. */
  #listed: readonly ListedMember[] = [];
  /**
   * The same members in the same order as in `#listed`, but as `Member` objects. The object of this core is `#self`.
   */
  #live: readonly Member[] = [];
  #members: readonly Member[];
  #serving: readonly Member[] = [];
  /** For each bucket: the index of its owner in `#listed`, or NO_OWNER. */
  #owners: readonly number[] = new Array(ALL_BUCKETS).fill(NO_OWNER);
  #epochs: readonly number[] = new Array(ALL_BUCKETS).fill(0);

  constructor(self: Member) {
    this.#self = self;
    this.#members = [self];
  }

  get version(): string {
    return this.#version;
  }

  /** This core, and all other cores of the cluster that have begun to take buckets, sorted by id. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** The members that accept new buckets, sorted by id. The array stays the same object until a member changes. */
  get serving(): readonly Member[] {
    return this.#serving;
  }

  /** Replaces all members and owners by those of a newer version of the owner table. */
  adopt({ version, members, owners, epochs }: OwnersView): void {
    this.#version = version;
    this.#owners = owners;
    this.#epochs = epochs;
    // Replaces the list of members only if a member has changed. Usually only the owners of buckets have changed. The
    // `Member` objects and arrays then stay the same.
    if (!areSame(members, this.#listed)) this.#setMembers(members);
  }

  ownerOf(bucket: number): Member | undefined {
    return this.#live[this.#owners[bucket] ?? NO_OWNER];
  }

  /** Returns the id of the core that owns a bucket; undefined if no live core owns the bucket. */
  ownerIdOf(bucket: number): string | undefined {
    return this.ownerOf(bucket)?.id;
  }

  /**
   * Returns the live owner of a bucket. Returns undefined if there is none, or if the owner takes no new buckets, for
   * example because it leaves the cluster.
   */
  servingOwnerOf(bucket: number): Member | undefined {
    const index = this.#owners[bucket] ?? NO_OWNER;
    const owner = this.#listed[index];
    return owner && isServing(owner) ? this.#live[index] : undefined;
  }

  /** Returns the buckets that a member of the cluster owns. `id`: id of the member. */
  bucketsOf(id: string): Set<number> {
    const owner = this.#indexOf(id);
    const buckets = new Set<number>();
    if (owner === NO_OWNER) return buckets;
    for (let at = this.#owners.indexOf(owner); at >= 0; at = this.#owners.indexOf(owner, at + 1))
      buckets.add(at);
    return buckets;
  }

  /**
   * Returns the epoch of a bucket (a group of servers with one owner): a number that is higher for each later owner.
   */
  epochOf(bucket: number): number {
    return this.#epochs[bucket] ?? 0;
  }

  /** Records that this core has acquired buckets (parts of the store). */
  addOwn(buckets: readonly number[], epoch: number): void {
    this.#setOwner(buckets, this.#indexOf(this.#self.id));
    const epochs = this.#epochs.slice();
    for (const bucket of buckets) epochs[bucket] = epoch;
    this.#epochs = epochs;
  }

  /** Records that this core has released buckets (parts of the store), so they have no owner. */
  removeOwn(buckets: readonly number[]): void {
    this.#setOwner(buckets, NO_OWNER);
  }

  #setOwner(buckets: readonly number[], owner: number): void {
    const owners = this.#owners.slice();
    for (const bucket of buckets) owners[bucket] = owner;
    this.#owners = owners;
  }

  #indexOf(id: string): number {
    return this.#listed.findIndex(member => member.id === id);
  }

  #setMembers(listed: readonly ListedMember[]): void {
    this.#listed = listed;
    this.#live = listed.map(({ id, address }) => (id === this.#self.id ? this.#self : { id, address }));
    const members: Member[] = [];
    const serving: Member[] = [];
    const byId = [...listed.entries()].sort(([, a], [, b]) => (a.id < b.id ? -1 : 1));
    for (const [index, each] of byId) {
      const member = this.#live[index] as Member;
      if (each.state !== 'joined' || member === this.#self) members.push(member);
      if (isServing(each)) serving.push(member);
    }
    this.#members = members;
    this.#serving = serving;
  }
}

function isServing({ state }: ListedMember): boolean {
  return state === 'serving' || state === 'alone';
}

function areSame(a: readonly ListedMember[], b: readonly ListedMember[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((one, i) => {
    const other = b[i];
    return (
      one === other || (one.id === other?.id && one.address === other.address && one.state === other.state)
    );
  });
}
