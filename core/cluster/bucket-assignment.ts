import { fnv1aText } from '../../runtime/fnv1a.ts';
import { SERVER_BUCKETS } from './buckets.ts';
import type { Member } from './ownership.ts';

/**
 * Factor by which a member can have more buckets than the mean of all members. With 1.05, the member with the most
 * buckets has 5 % more than the mean, or one bucket more. With 1, twice as many buckets move when one of 200 members
 * joins.
 */
const MOST_LOAD = 1.05;
/** A score that is higher than all scores. */
const ABOVE_ALL = 2 ** 33;

/** The members that should own the buckets of a cluster. */
export interface Assigned {
  /** Id of the member that should own each bucket of servers, indexed by bucket. */
  readonly owners: readonly string[];
  /** Id of the member that should become the lead if the cluster has none. */
  readonly lead: string;
}

/** A member, and the buckets that it accepts in `assign`. */
interface Candidate {
  id: string;
  seed: number;
  accepted: Proposal[];
}

/** A bucket that wants to belong to a member, and the score of both. A higher score is better. */
interface Proposal {
  bucket: number;
  score: number;
}

/**
 * Decides which member of a cluster should own which bucket: by rendezvous hashing of the address of each member and
 * the number of each bucket. All members calculate the same result, because it depends only on the addresses. If a
 * member joins or leaves, few other buckets move (test/core/cluster/bucket-assignment.test.ts).
 *
 * Plain rendezvous hashing gives some of 10 members 10 % more buckets than others, and some of 200 members 60 % more.
 * Therefore a member accepts only a limited number of buckets, those with the highest scores. A bucket that its best
 * member does not accept goes to the next best one.
 */
export class BucketAssignment {
  #key = '';
  #assigned: Assigned | undefined;

  /** Returns the assignment to these members. Throws RangeError if there is no member. Keeps the last result. */
  of(members: readonly Member[]): Assigned {
    const key = members.map(({ id, address }) => `${id} ${address}`).join('\n');
    if (this.#assigned && key === this.#key) return this.#assigned;
    this.#key = key;
    this.#assigned = assign(members);
    return this.#assigned;
  }
}

function assign(members: readonly Member[]): Assigned {
  const candidates = candidatesOf(members);
  const limit = Math.ceil((SERVER_BUCKETS / candidates.length) * MOST_LOAD);
  let proposals = Array.from(
    { length: SERVER_BUCKETS },
    (_, bucket): Proposal => ({ bucket, score: ABOVE_ALL }),
  );
  while (proposals.length > 0) {
    const touched = new Set<Candidate>();
    for (const { bucket, score } of proposals) {
      const [candidate, next] = bestBelow(candidates, bucket, score);
      candidate.accepted.push({ bucket, score: next });
      touched.add(candidate);
    }
    proposals = [];
    for (const { accepted } of touched) {
      if (accepted.length <= limit) continue;
      accepted.sort((a, b) => b.score - a.score || a.bucket - b.bucket);
      proposals.push(...accepted.splice(limit));
    }
  }
  const owners = new Array<string>(SERVER_BUCKETS);
  for (const { id, accepted } of candidates) for (const { bucket } of accepted) owners[bucket] = id;
  const [lead] = bestBelow(candidates, SERVER_BUCKETS, ABOVE_ALL);
  return { owners, lead: lead.id };
}

/**
 * Returns one candidate for each address. If two members have the same address, for example because a core was killed
 * and started again, both are one candidate, with the id that comes last.
 */
function candidatesOf(members: readonly Member[]): Candidate[] {
  const byAddress = new Map<string, string>();
  for (const { id, address } of members) if (id > (byAddress.get(address) ?? '')) byAddress.set(address, id);
  if (byAddress.size === 0) throw new RangeError('a cluster without members');
  return Array.from(byAddress)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, id]) => ({ id, seed: fnv1aText(address), accepted: [] }));
}

/** Returns the candidate with the highest score for a bucket that is lower than `above`, and this score. */
function bestBelow(candidates: readonly Candidate[], bucket: number, above: number): [Candidate, number] {
  let best: Candidate | undefined;
  let highest = -1;
  for (const [i, candidate] of candidates.entries()) {
    // The index makes the scores of two candidates different even if their hashes are equal.
    const score = scoreOf(candidate.seed, bucket) + i / 2 ** 16;
    if (score >= above || score <= highest) continue;
    best = candidate;
    highest = score;
  }
  if (!best) throw new RangeError('a bucket that no member accepts');
  return [best, highest];
}

/** Mixes the hash of an address with the number of a bucket (finalizer of MurmurHash3). Returns an unsigned number. */
function scoreOf(seed: number, bucket: number): number {
  let mixed = seed ^ Math.imul(bucket + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
