import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import { batchesOf, planBuckets, plannedLead } from '../../../core/cluster/bucket-plan.ts';
import { ACCOUNT_BUCKET_NUMBERS, ALL_BUCKETS, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { ClusterView } from '../../../core/cluster/cluster-view.ts';
import type { ListedMember, MemberState } from '../../../core/cluster/owner-table.ts';

const member = (id: string, state: MemberState = 'serving'): ListedMember => ({
  id,
  address: `${id}:1`,
  state,
});

/**
 * Returns the cluster as its first member sees it. `ownerOf` returns the id of the core that owns a bucket (group of
 * servers).
 */
function viewOf(
  members: readonly ListedMember[],
  ownerOf: (bucket: number) => string | undefined,
): ClusterView {
  const view = new ClusterView(members[0] as ListedMember);
  const owners = Array.from({ length: ALL_BUCKETS }, (_, bucket) =>
    members.findIndex(({ id }) => id === ownerOf(bucket)),
  );
  view.adopt({ version: '1-x', members, owners, epochs: owners.map(() => 1) });
  return view;
}

function planOf(view: ClusterView, self: string, claimed: { has(bucket: number): boolean }) {
  return planBuckets(self, view, new BucketAssignment().of(view.serving), claimed);
}

const NONE = { has: () => false };
const EVERY = { has: () => true };

test('the only core of a cluster takes all buckets (groups of servers, each owned by one core)', () => {
  const { take, give } = planOf(
    viewOf([member('a')], () => undefined),
    'a',
    NONE,
  );
  assert.deepEqual([take.length, give.length], [ALL_BUCKETS, 0]);
});

test('two cores that already own exactly their assigned buckets (groups of servers) move no buckets', () => {
  const members = [member('a'), member('b')];
  const { owners } = new BucketAssignment().of(members);
  const view = viewOf(members, bucket => (bucket < SERVER_BUCKETS ? owners[bucket] : 'b'));
  for (const { id } of members) assert.deepEqual(planOf(view, id, EVERY), { take: [], give: [], awaited: 0 });
});

test('a core that owns all data gives a new core its share of the servers, but keeps the accounts (tokens and webhooks)', () => {
  const members = [member('a'), member('b')];
  const view = viewOf(members, () => 'a');
  const { owners } = new BucketAssignment().of(members);
  const wanted = owners.flatMap((owner, bucket) => (owner === 'b' ? [bucket] : []));
  assert.deepEqual(planOf(view, 'a', EVERY), { take: [], give: wanted, awaited: 0 });
  assert.deepEqual(planOf(view, 'b', NONE), { take: [], give: [], awaited: wanted.length });
});

test('a core gives no buckets (groups of servers) to a new core that has joined but is not ready to take buckets', () => {
  const view = viewOf([member('a'), member('b', 'joined')], () => 'a');
  assert.deepEqual(planOf(view, 'a', EVERY), { take: [], give: [], awaited: 0 });
  assert.deepEqual(planOf(view, 'b', NONE), { take: [], give: [], awaited: 0 });
});

test('if a core owns a bucket (group of servers) but has not taken it completely, the core takes this bucket again', () => {
  const view = viewOf([member('a')], () => 'a');
  assert.deepEqual(planOf(view, 'a', { has: bucket => bucket !== 9 }).take, [9]);
});

test('if the core that owns the tokens and webhooks leaves the cluster, exactly one other core takes all of them', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const assignment = new BucketAssignment();
  for (const lead of ids) {
    const serving = viewOf(
      ids.map(id => member(id)),
      () => lead,
    );
    assert.equal(plannedLead(serving, assignment.of(serving.serving)), lead);
    const others = ids.filter(id => id !== lead);
    const without = viewOf(
      others.map(id => member(id)),
      bucket => (bucket < SERVER_BUCKETS ? 'b' : undefined),
    );
    const takers = others.filter(id => {
      const { take } = planOf(without, id, NONE);
      const accounts = take.filter(bucket => bucket >= SERVER_BUCKETS);
      assert.ok(accounts.length === 0 || accounts.length === ACCOUNT_BUCKET_NUMBERS.length);
      return accounts.length > 0;
    });
    assert.equal(takers.length, 1);
  }
});

test('a core that leaves the cluster gives away all its buckets (parts of the store), including the tokens and webhooks', () => {
  const view = viewOf([member('a', 'leaving'), member('b')], () => 'a');
  assert.equal(planOf(view, 'a', EVERY).give.length, ALL_BUCKETS);
  assert.equal(planOf(view, 'b', NONE).awaited, ALL_BUCKETS);
});

test('a core gives its buckets (parts of the store) away in batches, with the tokens and webhooks in the last batch', () => {
  const batches = batchesOf([...ACCOUNT_BUCKET_NUMBERS, ...Array.from({ length: 130 }, (_, i) => i)], 64);
  assert.deepEqual(
    batches.map(({ length }) => length),
    [64, 64, 2, ACCOUNT_BUCKET_NUMBERS.length],
  );
  assert.deepEqual(batches.at(-1), ACCOUNT_BUCKET_NUMBERS);
  assert.deepEqual(batchesOf([], 64), []);
});
