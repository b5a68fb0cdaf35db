import { fnv1aText } from '../../runtime/fnv1a.ts';
import { SERVER_BUCKETS } from './buckets.ts';
import type { Member } from './ownership.ts';

/**
 * Maximum number of buckets of servers that one member may own, as a multiple of the mean per member. With 1 instead of
 * 1.05, twice as many buckets would move when a new member joins a cluster of 200 members.
 */
const MOST_LOAD = 1.05;

/** Says which member (core) of a cluster should own each bucket. */
export interface Assigned {
  /** For each bucket, the id of the member that should own it. The index is the bucket number. */
  readonly owners: readonly string[];
  /**
   * For each member, the numbers of the buckets that it should own, in ascending order. The key is the id of the
   * member.
   */
  readonly bucketsOf: ReadonlyMap<string, readonly number[]>;
  /** Id of the member that should become the lead (the core that owns the accounts) if the cluster has none. */
  readonly lead: string;
}

/** A member of the cluster, and the buckets that `assign` has given to this member so far. */
interface Candidate {
  readonly address: string;
  /** Hash of the address of the member. */
  readonly seed: number;
  /** Id of the member. It changes when the process restarts, and `address` stays. */
  id: string;
  accepted: Proposal[];
}

/** A bucket, a member that could own it, and the score of this pair. A higher score is better. */
interface Proposal {
  readonly bucket: number;
  readonly candidate: Candidate;
  readonly score: number;
}

/**
 * Decides which member of a cluster should own which bucket, by rendezvous hashing. All members calculate the same
 * result. If a member joins or leaves, few buckets move between the other members.
 */
export class BucketAssignment {
  #members: readonly Member[] = [];
  #assigned: Assigned | undefined;
  /** The members from the latest call of the method `of`, keyed by their address and sorted by it. */
  #candidates: ReadonlyMap<string, Candidate> = new Map();
  /**
   * For each bucket, the member with the highest score (`scoreOf`). The last element is the member that should become
   * the lead, the core that owns the tokens and webhooks.
   */
  #best: readonly Proposal[] = [];

  /**
   * Returns which of the given members should own which bucket. Throws RangeError if there is no member. If `members`
   * is the same array as in the previous call, returns the previous result.
   */
  of(members: readonly Member[]): Assigned {
    if (this.#assigned && members === this.#members) return this.#assigned;
    const before = this.#candidates;
    this.#candidates = candidatesOf(members, before);
    const candidates = [...this.#candidates.values()];
    this.#findBest(
      candidates,
      candidates.filter(({ address }) => !before.has(address)),
    );
    this.#members = members;
    this.#assigned = assign(candidates, this.#best);
    return this.#assigned;
  }

  /**
   * Finds the member with the highest score for each bucket. Calculates only scores that can have changed: 1.7 ms
   * instead of 4 ms for all scores, if one of 200 members joins or leaves.
   */
  #findBest(candidates: readonly Candidate[], added: readonly Candidate[]): void {
    const last = this.#best;
    this.#best = Array.from({ length: SERVER_BUCKETS + 1 }, (_, bucket) => {
      const known = last[bucket];
      if (!known || !this.#candidates.has(known.candidate.address)) return bestBelow(candidates, bucket);
      if (added.length === 0) return known;
      const best = bestBelow(added, bucket);
      return isBetter(best, known) ? best : known;
    });
  }
}

/**
 * Returns one `Candidate` for each address of the members, sorted by address. If `before` contains a `Candidate` with
 * this address, reuses it.
 */
function candidatesOf(
  members: readonly Member[],
  before: ReadonlyMap<string, Candidate>,
): ReadonlyMap<string, Candidate> {
  const ids = new Map<string, string>();
  // After a core was killed and started again, two members can have the same address. The member with the larger id is
  // kept.
  for (const { id, address } of members) if (id > (ids.get(address) ?? '')) ids.set(address, id);
  if (ids.size === 0) throw new RangeError('a cluster without members');
  const candidates = new Map<string, Candidate>();
  for (const [address, id] of [...ids].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const candidate = before.get(address) ?? { address, seed: fnv1aText(address), id, accepted: [] };
    candidate.id = id;
    candidate.accepted = [];
    candidates.set(address, candidate);
  }
  return candidates;
}

/**
 * Assigns each bucket of servers to a member, and chooses the lead core. `best` contains the member with the
 * highest score for each bucket. The last element of `best` is the member that becomes the lead core.
 */
function assign(candidates: readonly Candidate[], best: readonly Proposal[]): Assigned {
  const limit = Math.ceil((SERVER_BUCKETS / candidates.length) * MOST_LOAD);
  // Each member accepts at most `limit` buckets: those for which it has the highest scores. Without this limit, the
  // largest member would get more buckets than the mean: 10 % more in a cluster of 10 members, and 60 % more in a
  // cluster of 200.
  let proposals = best.slice(0, SERVER_BUCKETS);
  while (proposals.length > 0) {
    for (const proposal of proposals) proposal.candidate.accepted.push(proposal);
    proposals = [];
    for (const { accepted } of candidates) {
      if (accepted.length <= limit) continue;
      accepted.sort((a, b) => b.score - a.score || a.bucket - b.bucket);
      for (const refused of accepted.splice(limit))
        proposals.push(bestBelow(candidates, refused.bucket, refused));
    }
  }
  const owners = new Array<string>(SERVER_BUCKETS);
  for (const { id, accepted } of candidates) for (const { bucket } of accepted) owners[bucket] = id;
  const bucketsOf = new Map(candidates.map(({ id }) => [id, [] as number[]]));
  for (const [bucket, id] of owners.entries()) bucketsOf.get(id)?.push(bucket);
  return { owners, bucketsOf, lead: (best[SERVER_BUCKETS] as Proposal).candidate.id };
}

/**
 * Returns the member with the highest score for a bucket. If `above` is given, returns the member with the next lower
 * score after `above`. `candidates` must be sorted by address. Throws RangeError if no member is left.
 */
function bestBelow(candidates: readonly Candidate[], bucket: number, above?: Proposal): Proposal {
  let best: Candidate | undefined;
  let highest = -1;
  for (const candidate of candidates) {
    const score = scoreOf(candidate.seed, bucket);
    // If two members have the same score for a bucket, the one whose address is later in sort order is chosen.
    if (score < highest || (above && !isBetter(above, { bucket, candidate, score }))) continue;
    best = candidate;
    highest = score;
  }
  if (!best) throw new RangeError('a bucket that no member accepts');
  return { bucket, candidate: best, score: highest };
}

function isBetter(a: Proposal, b: Proposal): boolean {
  return a.score > b.score || (a.score === b.score && a.candidate.address > b.candidate.address);
}

/**
 * Returns the score of a member for a bucket: a hash of the member's address and the bucket number (finalizer of
 * MurmurHash3). The score is an unsigned number.
 */
function scoreOf(seed: number, bucket: number): number {
  let mixed = seed ^ Math.imul(bucket + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
