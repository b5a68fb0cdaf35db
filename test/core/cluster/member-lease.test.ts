import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRACE_MS, validMs } from '../../../core/cluster/member-lease.ts';

test('an unconfirmed lease renewal (no replica has it) is valid at least a second less than the grace period after a failover', () => {
  assert.ok(validMs(false) <= GRACE_MS - 1_000);
});
