import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerCounters } from '../../../core/servers/server-counters.ts';
import { serverKey } from '../../../core/servers/server-record.ts';

test('servers are counted by status, label and game as they come, change and go', () => {
  const census = new ServerCounters();
  census.count(serverKey('csgo', '[::1]:1'), 'pending', 'none', 1);
  census.count(serverKey('csgo', '1.2.3.4:1'), 'online', 'filtered', 1);
  census.count(serverKey('rust', '1.2.3.4:1'), 'offline', 'none', 1);
  assert.deepEqual(
    [...census.games],
    [
      ['csgo', 2],
      ['rust', 1],
    ],
  );
  census.change('pending', 'none', { status: 'online', label: 'cached' });
  assert.deepEqual(census.status, { pending: 0, online: 2, offline: 1 });
  assert.deepEqual(census.label, { none: 1, rate_limited: 0, challenge_only: 0, filtered: 1, cached: 1 });
  census.count(serverKey('rust', '1.2.3.4:1'), 'offline', 'none', -1);
  assert.deepEqual([census.status.offline, census.label.none, census.games.has('rust')], [0, 0, false]);
});
