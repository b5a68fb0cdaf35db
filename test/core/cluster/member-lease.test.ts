import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE_MS, validMs } from '../../../core/cluster/member-lease.ts';

test('without confirmation by a database replica, a cluster lease is at least 1 s shorter than the grace period after a failover', () => {
  assert.ok(validMs(false) <= GRACE_MS - 1_000);
});
