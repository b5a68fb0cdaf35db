import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import { SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const memberAt = (place: number): Member => ({
  id: `core-${place}`,
  address: `10.0.${place >> 8}.${place & 255}:50052`,
});
const membersTo = (count: number): Member[] => Array.from({ length: count }, (_, place) => memberAt(place));
const ownersOf = (members: readonly Member[]): readonly string[] => new BucketAssignment().of(members).owners;

function loadsOf(owners: readonly string[]): number[] {
  const loads = new Map<string, number>();
  for (const owner of owners) loads.set(owner, (loads.get(owner) ?? 0) + 1);
  return [...loads.values()];
}

const movesBetween = (before: readonly string[], after: readonly string[]): number =>
  before.filter((owner, bucket) => owner !== after[bucket]).length;

for (const count of [1, 2, 3, 5, 10, 30]) {
  test(`in a cluster of ${count} cores, no core has far more or far fewer buckets (groups of servers) than the mean`, () => {
    const loads = loadsOf(ownersOf(membersTo(count)));
    const mean = SERVER_BUCKETS / count;
    assert.equal(loads.length, count);
    assert.ok(Math.max(...loads) <= mean * 1.05 + 1, `${Math.max(...loads)} of ${mean}`);
    assert.ok(Math.min(...loads) >= mean * 0.8, `${Math.min(...loads)} of ${mean}`);
  });

  test(`if a core joins or leaves a cluster of ${count} other cores, about 1/${count + 1} of all buckets (groups of servers) moves`, () => {
    const fewer = ownersOf(membersTo(count));
    const more = ownersOf(membersTo(count + 1));
    const moved = movesBetween(fewer, more);
    assert.ok(moved <= (SERVER_BUCKETS / (count + 1)) * 1.2, `${moved} buckets moved`);
    assert.ok(moved >= (SERVER_BUCKETS / (count + 1)) * 0.8, `${moved} buckets moved`);
  });
}

test('the assignment of buckets (groups of servers) depends on the addresses of the cluster members, not on their order or ids', () => {
  const members = membersTo(7);
  const addressOf = (members: readonly Member[]) => {
    const addresses = new Map(members.map(({ id, address }) => [id, address]));
    return ownersOf(members).map(id => addresses.get(id));
  };
  const renamed = members.map(({ address }, i) => ({ id: `other-${7 - i}`, address }));
  assert.deepEqual(addressOf(renamed), addressOf(members));
  assert.deepEqual(ownersOf([...members].reverse()), ownersOf(members));
});

test('two cluster members with the same address count as one, so a restarted core gets back its groups of servers', () => {
  const members = membersTo(3);
  const before = ownersOf(members);
  const restarted = { id: 'core-0-restarted', address: memberAt(0).address };
  const during = ownersOf([...members, restarted]);
  assert.equal(movesBetween(before, during), before.filter(owner => owner === 'core-0').length);
  assert.deepEqual(
    ownersOf([restarted, ...members.slice(1)]),
    before.map(owner => (owner === 'core-0' ? restarted.id : owner)),
  );
});

test('two cluster members whose addresses have the same hash both get buckets (groups of servers)', () => {
  // Two texts with the same 32-bit FNV-1a hash.
  const [first, second] = ['costarring', 'liquid'];
  const loads = loadsOf(
    ownersOf([first, second].map(address => ({ id: String(address), address: String(address) }))),
  );
  assert.deepEqual(loads.length, 2);
});

test('after many cores joined and left, the updated assignment of buckets (groups of servers) equals a newly computed assignment', () => {
  const random = randomNumbers(3);
  const assignment = new BucketAssignment();
  // Addresses of cluster members. `costarring` and `liquid` are included because both have the same FNV-1a hash.
  const addresses = [...membersTo(12).map(({ address }) => address), 'costarring', 'liquid'];
  let members: Member[] = [];
  for (let change = 0; change < 60; change++) {
    const address = addresses[random(addresses.length)] ?? '';
    const left = members.find(member => member.address === address && random(4) > 0);
    members = left
      ? members.filter(member => member !== left)
      : [...members, { id: `core-${change}`, address }];
    if (members.length === 0) continue;
    assert.deepEqual(assignment.of(members), new BucketAssignment().of(members));
  }
});

test('an assignment of buckets (groups of servers) to cluster members lists for each member exactly its buckets', () => {
  const { owners, bucketsOf } = new BucketAssignment().of(membersTo(5));
  assert.equal(bucketsOf.size, 5);
  for (const [id, buckets] of bucketsOf)
    assert.deepEqual(
      buckets,
      owners.flatMap((owner, bucket) => (owner === id ? [bucket] : [])),
    );
});

test('an assignment of buckets (groups of servers) to an empty list of cluster members throws a RangeError', () => {
  assert.throws(() => new BucketAssignment().of([]), RangeError);
});
