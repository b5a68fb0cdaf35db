import { ALL_BUCKETS } from './buckets.ts';
import type { ListedMember, OwnersView } from './owner-table.ts';
import type { Member } from './ownership.ts';

/** The members and the owners of buckets as one member knows them. */
export class ClusterView {
  readonly #self: Member;
  #version = '';
  #live = new Map<string, Member>();
  #members: readonly Member[];
  #serving: readonly Member[] = [];
  #owners: (string | undefined)[] = new Array(ALL_BUCKETS).fill(undefined);
  #epochs: number[] = new Array(ALL_BUCKETS).fill(0);

  constructor(self: Member) {
    this.#self = self;
    this.#members = [self];
  }

  get version(): string {
    return this.#version;
  }

  /** This member, and all members that have begun to serve, sorted by id. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** The members that take buckets. */
  get serving(): readonly Member[] {
    return this.#serving;
  }

  /** Replaces everything with a newer view. */
  adopt({ version, members, owners, epochs }: OwnersView): void {
    this.#version = version;
    this.#owners = owners.slice();
    this.#epochs = epochs.slice();
    const isServing = ({ state }: ListedMember): boolean => state === 'serving' || state === 'alone';
    const sorted = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#live = new Map(sorted.map(member => [member.id, this.#memberOf(member)]));
    this.#members = sorted
      .filter(({ id, state }) => state !== 'joined' || id === this.#self.id)
      .map(member => this.#memberOf(member));
    this.#serving = sorted.filter(isServing).map(member => this.#memberOf(member));
  }

  ownerOf(bucket: number): Member | undefined {
    const id = this.#owners[bucket];
    return id === undefined ? undefined : this.#live.get(id);
  }

  /** Returns the id of the owner of a bucket; undefined if no live member owns the bucket. */
  ownerIdOf(bucket: number): string | undefined {
    return this.#owners[bucket];
  }

  /** Returns the epoch of the ownership of a bucket. */
  epochOf(bucket: number): number {
    return this.#epochs[bucket] ?? 0;
  }

  /** Notes that this member has acquired buckets. */
  addOwn(buckets: readonly number[], epoch: number): void {
    for (const bucket of buckets) {
      this.#owners[bucket] = this.#self.id;
      this.#epochs[bucket] = epoch;
    }
  }

  /** Notes that this member has given buckets away. */
  removeOwn(buckets: readonly number[]): void {
    for (const bucket of buckets) this.#owners[bucket] = undefined;
  }

  #memberOf(member: ListedMember): Member {
    return member.id === this.#self.id ? this.#self : { id: member.id, address: member.address };
  }
}
