import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE_MS, validMs } from '../../../core/cluster/member-lease.ts';

test('the validity of a lease renewal that no replica has confirmed is at least one second shorter than the grace period after a failover', () => {
  assert.ok(validMs(false) <= GRACE_MS - 1_000);
});
