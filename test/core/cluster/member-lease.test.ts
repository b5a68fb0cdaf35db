import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE_MS, validMs } from '../../../core/cluster/member-lease.ts';

test('if no replica has confirmed the renewal of a lease, the lease is valid for at least one second less than the grace period after a failover', () => {
  assert.ok(validMs(false) <= GRACE_MS - 1_000);
});
