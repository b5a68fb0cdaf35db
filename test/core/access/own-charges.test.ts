import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnCharges } from '../../../core/access/own-charges.ts';

const limits = { pairs: 3, reported: 2, reports: 2 };
const use = (tokenId: string, minute: number, requests: number, lastUsedMs = 0) => ({
  ...{ tokenId, minute, requests, lastUsedMs },
});

test('a core keeps a request in its local count until the total of the lead (the core that counts usage) contains the request', () => {
  const own = new OwnCharges();
  assert.equal(own.nextReport(), undefined);
  own.addRequest('a', 1);
  own.addRequest('a', 1);
  own.noteUse('b', 5_000);
  const first = own.nextReport();
  assert.deepEqual(first, { sequence: 1, uses: [use('a', 1, 2), use('b', 0, 0, 5_000)] });
  own.addRequest('a', 1);
  assert.deepEqual(own.nextReport(), first, 'a report without an answer is repeated unchanged');
  own.acknowledge(1);
  assert.equal(own.count('a', 1), 3);
  assert.deepEqual(own.nextReport(), { sequence: 2, uses: [use('a', 1, 1)] });
  assert.deepEqual(own.include(1), [use('a', 1, 2), use('b', 0, 0, 5_000)]);
  assert.equal(own.count('a', 1), 1);
  assert.deepEqual(own.include(2), [use('a', 1, 1)]);
  assert.deepEqual([...own.all()], []);
});

test('a core reports to a new lead (the core that counts usage) each request that the old lead has not counted', () => {
  const own = new OwnCharges();
  own.addRequest('a', 1);
  own.noteUse('a', 1_000);
  own.nextReport();
  own.acknowledge(1);
  own.addRequest('a', 1);
  own.addRequest('a', 2);
  own.noteUse('a', 2_000);
  own.changeLead();
  assert.equal(own.count('a', 1), 2);
  assert.deepEqual(own.nextReport(), { sequence: 2, uses: [use('a', 1, 2, 2_000), use('a', 2, 1, 2_000)] });
});

test('a core that has too many usage counters (one per token and minute) adds new requests to existing counters', () => {
  const own = new OwnCharges(limits);
  assert.deepEqual(
    [1, 2, 3, 4, 3].map(minute => own.addRequest('a', minute)),
    [1, 2, 3, 3, 3],
  );
  assert.equal(own.addRequest('b', 9), 9, 'a token without requests always has room for one minute');
  assert.equal(own.addRequest('b', 10), 9);
  assert.equal(own.count('a', 3), 3);
  assert.equal(own.count('b', 9), 2);
});

test('a core pauses its usage reports until the lead (the core that counts usage) has counted earlier reports', () => {
  const own = new OwnCharges(limits);
  for (const id of ['a', 'b', 'c', 'd', 'e']) own.noteUse(id, 1);
  const ids = () => own.nextReport()?.uses.map(({ tokenId }) => tokenId);
  assert.deepEqual(ids(), ['a', 'b']);
  own.acknowledge(1);
  assert.deepEqual(ids(), ['c', 'd']);
  own.acknowledge(2);
  assert.equal(ids(), undefined);
  own.include(1);
  assert.deepEqual(ids(), ['e']);
});
