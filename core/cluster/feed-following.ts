import type { ChangeFeed, UnnumberedChange } from '../feed/change-feed.ts';
import { shownStatus } from '../servers/freshness.ts';
import { bucketOfServer, SERVER_BUCKETS } from './buckets.ts';
import { FeedGaps } from './feed-gaps.ts';
import { GapReader, type GapReaderDependencies } from './gap-reader.ts';
import type { Later } from './later.ts';
import type { Member, Ownership } from './ownership.ts';
import { PeerFollower } from './peer-follower.ts';
import type { Peers } from './peers.ts';

/** What `FeedFollowing` needs to follow the server changes of all cores. */
export interface FeedFollowingDependencies extends Omit<GapReaderDependencies, 'hasNewGap'> {
  /** The change feed of the servers that this core owns. */
  own: ChangeFeed;
  ownership: Ownership;
  peers: Peers;
  later: Later;
  /**
   * Called when the feed may begin to miss changes of servers; `isGapless` is then false. Called again when the feed
   * contains all changes; `isGapless` is then true.
   */
  onChange(isGapless: boolean): void;
}

/** Follows the server changes of all cores of the cluster, and publishes them in one feed, until `stop` is called. */
export class FeedFollowing {
  readonly #dependencies: FeedFollowingDependencies;
  readonly #gaps: FeedGaps;
  readonly #gapReader: GapReader;
  readonly #followers = new Map<string, PeerFollower>();
  /**
   * For each bucket (group of servers), the id of the core that owns it. Changes of the servers in the bucket are
   * accepted only from the owner.
   */
  readonly #owners: (string | undefined)[] = [];
  readonly #stops: (() => void)[];

  constructor(dependencies: FeedFollowingDependencies) {
    const { own, ownership, later, onChange } = dependencies;
    this.#dependencies = dependencies;
    this.#gapReader = new GapReader({ ...dependencies, hasNewGap: bucket => this.#gaps.isOpen(bucket) });
    this.#gaps = new FeedGaps({
      isFollowed: bucket => this.#isFollowed(bucket),
      reread: buckets => this.#gapReader.read(buckets),
      onChange,
      later,
    });
    this.#stops = [
      own.subscribe(change => this.#publish(change.key, change)),
      ownership.watch(() => this.#checkOwners()),
    ];
    this.#gaps.add(Array.from({ length: SERVER_BUCKETS }, (_, bucket) => bucket));
    this.#checkOwners();
  }

  /** True if the change feed of the cluster may lack changes of the servers in this bucket. */
  isMissing(bucket: number): boolean {
    return this.#gaps.has(bucket);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#gaps.stop();
    for (const follower of this.#followers.values()) follower.close();
  }

  #isFollowed(bucket: number): boolean {
    const owner = this.#owners[bucket];
    if (owner === undefined) return false;
    const { ownership } = this.#dependencies;
    return owner === ownership.self.id
      ? ownership.owns(bucket)
      : this.#followers.get(owner)?.hasBegun === true;
  }

  #checkOwners(): void {
    const { ownership, peers } = this.#dependencies;
    const moved: number[] = [];
    for (let bucket = 0; bucket < SERVER_BUCKETS; bucket++) {
      const owner = ownership.ownerOf(bucket)?.id;
      if (owner === this.#owners[bucket]) continue;
      this.#owners[bucket] = owner;
      moved.push(bucket);
    }
    this.#addGaps(moved);
    const live = new Set(peers.others.map(({ id }) => id));
    for (const [id, follower] of this.#followers) {
      if (live.has(id)) continue;
      follower.close();
      this.#followers.delete(id);
      this.#addGaps(this.#bucketsOf(id));
    }
    for (const peer of peers.others) {
      if (!this.#followers.has(peer.id)) this.#followers.set(peer.id, this.#follow(peer));
    }
    void this.#gaps.close();
  }

  #follow(peer: Member): PeerFollower {
    const { peers, later } = this.#dependencies;
    return new PeerFollower({
      ...{ peers, peer, later, probedKeys: [] },
      onBegin: () => void this.#gaps.close(),
      onChange: (key, change) => this.#accept(peer.id, key, change),
      onBreak: () => this.#addGaps(this.#bucketsOf(peer.id)),
    });
  }

  #bucketsOf(owner: string): number[] {
    return [...this.#owners.keys()].filter(bucket => this.#owners[bucket] === owner);
  }

  #addGaps(buckets: readonly number[]): void {
    if (buckets.length === 0) return;
    const missing = new Set(buckets);
    for (const known of this.#dependencies.known) if (missing.has(known.bucket)) known.isCurrent = false;
    this.#gaps.add(missing);
  }

  #accept(peerId: string, key: string, change: UnnumberedChange): void {
    const bucket = bucketOfServer(key);
    if (this.#owners[bucket] !== peerId) {
      // A core has sent this change, but as far as this core knows, another core owns the server. Changes of two cores
      // have no common order, so it is unknown which change is newer. Therefore this core ignores the change and reads
      // the server again.
      this.#dependencies.ownership.refresh();
      this.#addGaps([bucket]);
      void this.#gaps.close();
      return;
    }
    const known = this.#dependencies.known.get(key);
    // Ignores this change if the readers of the change feed have a newer record of the server already. This happens if
    // this core read the record from the owner while the change was on its way.
    const isOld = known?.isCurrent && known.seen && change.after && change.after.version < known.seen.version;
    if (!isOld) this.#publish(key, change);
  }

  #publish(key: string, { fields, before, after }: UnnumberedChange): void {
    const { feed, known, followers, freshness, now } = this.#dependencies;
    this.#gapReader.noteChange(key);
    const gameId = (after ?? before)?.gameId ?? '';
    if (followers.follows(key, gameId))
      known.putSent(key, after, after && shownStatus(after, now(), freshness), now());
    feed.publish({ fields, before, after });
  }
}
