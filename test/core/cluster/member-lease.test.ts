import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE_MS, validMs } from '../../../core/cluster/member-lease.ts';

test('a lease renewal without confirmation by a replica is valid for a shorter time than the grace period after a failover', () => {
  assert.ok(validMs(false) <= GRACE_MS - 1_000);
});
