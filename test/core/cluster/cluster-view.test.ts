import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { ClusterView } from '../../../core/cluster/cluster-view.ts';
import {
  type ListedMember,
  type MemberState,
  NO_OWNER,
  type OwnersView,
} from '../../../core/cluster/owner-table.ts';

const member = (id: string, state: MemberState = 'serving'): ListedMember => ({
  id,
  address: `${id}:1`,
  state,
});

/**
 * Returns an owner table, which says which core owns each bucket (group of servers). `owners`: the owner of bucket 0,
 * then the owner of bucket 1, and so on. Each owner is an index in `members`. The remaining buckets have no owner.
 */
function tableOf(members: readonly ListedMember[], ...owners: number[]): OwnersView {
  const none = new Array<number>(ALL_BUCKETS - owners.length).fill(NO_OWNER);
  return { version: '1-x', members, owners: [...owners, ...none], epochs: new Array(ALL_BUCKETS).fill(1) };
}

const self = { id: 'b', address: 'b:1' };

test('ClusterView finds the owners of buckets (groups of servers) even after the order of the cores in the owner table has changed', () => {
  const view = new ClusterView(self);
  view.adopt(tableOf([member('a'), member('b')], 0, 1));
  view.adopt(tableOf([member('b'), member('a')], 0, 1));
  assert.deepEqual(
    [0, 1, 2].map(bucket => view.ownerIdOf(bucket)),
    ['b', 'a', undefined],
  );
  assert.equal(view.ownerOf(0), self);
  assert.deepEqual(
    [[...view.bucketsOf('a')], [...view.bucketsOf('b')], [...view.bucketsOf('c')]],
    [[1], [0], []],
  );
});

test('ClusterView returns the serving cores sorted by id, and creates a new array only if these cores change', () => {
  const view = new ClusterView(self);
  view.adopt(tableOf([member('c'), member('b'), member('a', 'joined')]));
  const before = view.serving;
  assert.deepEqual(
    before.map(({ id }) => id),
    ['b', 'c'],
  );
  view.adopt(tableOf([member('c'), member('b'), member('a', 'joined')], 1));
  assert.equal(view.serving, before);
  assert.equal(view.servingOwnerOf(0)?.id, 'b');
  view.adopt(tableOf([member('c'), member('b', 'leaving'), member('a')], 1));
  assert.deepEqual(
    view.serving.map(({ id }) => id),
    ['a', 'c'],
  );
  assert.deepEqual([view.servingOwnerOf(0), view.servingOwnerOf(1)], [undefined, undefined]);
});

test('ClusterView does not modify the received owner table when its own core gets or loses buckets (groups of servers)', () => {
  const table = tableOf([member('b')], 0);
  const view = new ClusterView(self);
  view.adopt(table);
  view.addOwn([3], 7);
  view.removeOwn([0]);
  assert.deepEqual([view.ownerIdOf(0), view.ownerIdOf(3), view.epochOf(3)], [undefined, 'b', 7]);
  assert.deepEqual(table, tableOf([member('b')], 0));
});
