import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerCounters } from '../../../core/servers/server-counters.ts';
import { serverKey } from '../../../core/servers/server-record.ts';

test('ServerCounters counts servers by status, label and game after inserts, changes and removals', () => {
  const counters = new ServerCounters();
  counters.countServer(serverKey('csgo', '[::1]:1'), 'pending', 'none', 1);
  counters.countServer(serverKey('csgo', '1.2.3.4:1'), 'online', 'filtered', 1);
  counters.countServer(serverKey('rust', '1.2.3.4:1'), 'offline', 'none', 1);
  assert.deepEqual(
    [...counters.games],
    [
      ['csgo', 2],
      ['rust', 1],
    ],
  );
  counters.countChange('pending', 'none', { status: 'online', label: 'cached' });
  assert.deepEqual(counters.status, { pending: 0, online: 2, offline: 1 });
  assert.deepEqual(counters.label, { none: 1, rate_limited: 0, challenge_only: 0, filtered: 1, cached: 1 });
  counters.countServer(serverKey('rust', '1.2.3.4:1'), 'offline', 'none', -1);
  assert.deepEqual([counters.status.offline, counters.label.none, counters.games.has('rust')], [0, 0, false]);
});
