import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeBatch, readChanges } from '../../../core/search/change-batch.ts';
import { countRows, searchRows } from '../../../core/search/row-scan.ts';
import { ServerRows } from '../../../core/search/server-rows.ts';
import { queryOf, recordWith } from './search-fleet.ts';

test('a search and a count can pause after each block of 4096 servers', () => {
  const rows = new ServerRows(0);
  const batch = new ChangeBatch();
  for (let i = 0; i < 10_000; i++) {
    batch.addServer(
      recordWith({
        ...{
          gameId: 'css',
          address: `10.0.0.1:${i}`,
          insertedBy: 'admin',
          status: 'online',
          name: 'n',
          map: 'm',
        },
        ...{ version: '', players: 1, password: false },
      }),
    );
  }
  readChanges(batch.takeBytes(), rows);
  let pauses = 0;
  const pause = (): void => {
    pauses++;
  };
  assert.equal(searchRows(rows, queryOf({}), pause).total, 10_000);
  assert.equal(pauses, 3);
  assert.equal(countRows(rows, { gameId: '', scope: 'all' }, pause)[0]?.servers, 10_000);
  assert.equal(pauses, 5);
});
