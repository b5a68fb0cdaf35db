import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import { SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import type { Member } from '../../../core/cluster/ownership.ts';

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
  test(`no member of ${count} has more than 5 % and one bucket above the mean, and none is far below it`, () => {
    const loads = loadsOf(ownersOf(membersTo(count)));
    const mean = SERVER_BUCKETS / count;
    assert.equal(loads.length, count);
    assert.ok(Math.max(...loads) <= mean * 1.05 + 1, `${Math.max(...loads)} of ${mean}`);
    assert.ok(Math.min(...loads) >= mean * 0.8, `${Math.min(...loads)} of ${mean}`);
  });

  test(`if a member joins ${count} others or leaves them again, about one part of ${count + 1} of the buckets moves`, () => {
    const fewer = ownersOf(membersTo(count));
    const more = ownersOf(membersTo(count + 1));
    const moved = movesBetween(fewer, more);
    assert.ok(moved <= (SERVER_BUCKETS / (count + 1)) * 1.2, `${moved} buckets moved`);
    assert.ok(moved >= (SERVER_BUCKETS / (count + 1)) * 0.8, `${moved} buckets moved`);
  });
}

test('the assignment depends on the addresses of the members, and not on their order or their ids', () => {
  const members = membersTo(7);
  const addressOf = (members: readonly Member[]) => {
    const addresses = new Map(members.map(({ id, address }) => [id, address]));
    return ownersOf(members).map(id => addresses.get(id));
  };
  const renamed = members.map(({ address }, i) => ({ id: `other-${7 - i}`, address }));
  assert.deepEqual(addressOf(renamed), addressOf(members));
  assert.deepEqual(ownersOf([...members].reverse()), ownersOf(members));
});

test('two members with the same address count as one, so that a restarted core gets the buckets that it had', () => {
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

test('members whose addresses have the same hash share the buckets', () => {
  // Two texts with the same 32-bit FNV-1a hash.
  const [first, second] = ['costarring', 'liquid'];
  const loads = loadsOf(
    ownersOf([first, second].map(address => ({ id: String(address), address: String(address) }))),
  );
  assert.deepEqual(loads.length, 2);
});

test('a cluster without members has no assignment', () => {
  assert.throws(() => new BucketAssignment().of([]), RangeError);
});
