import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import { newRecord, recordUnknowable } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { offlineRecord, silentRecord } from '../record-of.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NAME = 'play.example.com:27015';

/**
 * Opens the given-up servers of a new directory. The test can open the directory again. `corrupt` contains the keys of
 * corrupt entries.
 */
async function opened(t: TestContext, most = 10) {
  const clock = clockAt();
  const directory = scratchDirectory();
  const corrupt: string[] = [];
  const tracked = new Set<string>();
  let engine: LevelDbStore | undefined;
  const open = async (limit = most): Promise<GivenUpServers> => {
    await engine?.close();
    engine = await LevelDbStore.open(directory, error => assert.fail(error));
    return GivenUpServers.load(engine, {
      now: clock.now,
      most: limit,
      isTracked: key => tracked.has(key),
      onCorrupt: key => corrupt.push(key),
    });
  };
  const givenUp = await open();
  t.after(() => engine?.close());
  /** Resolves to the stored entries after all appends are written. */
  const stored = async (): Promise<[key: string, value: Buffer][]> => {
    await engine?.commit([]);
    const entries: [string, Buffer][] = [];
    for await (const entry of engine?.entries('n/') ?? []) entries.push(entry);
    return entries;
  };
  const write = (key: string, value: Buffer) => engine?.commit([{ type: 'put', key, value }]);
  return { clock, givenUp, open, corrupt, tracked, stored, write };
}

const pendingOf = (address: string, now: number): ServerRecord =>
  newRecord('csgo', address, 'tok_1', now, MINUTE);
const find = (givenUp: GivenUpServers, address: string) => givenUp.find(`csgo ${address}`, []);

/** Creates the record of a new server and gives the server up immediately. */
function giveUp(givenUp: GivenUpServers, address: string, now: number): ServerRecord {
  const pending = pendingOf(address, now);
  return givenUp.addServer(pending, offlineRecord(pending, now));
}

test('a fetch of a given-up server gets its status, its reason and the time of the next try', async t => {
  const { clock, givenUp } = await opened(t);
  const inserted = pendingOf(NAME, clock.at);
  clock.at += 40_000;
  const offline = offlineRecord(inserted, clock.at, { reason: 'refused' });
  const kept = givenUp.addServer(silentRecord(inserted, clock.at - 1), offline);
  assert.deepEqual(find(givenUp, NAME), kept);
  assert.deepEqual(kept, {
    ...inserted,
    status: 'offline',
    reason: 'refused',
    intervalMs: HOUR,
    lastProbeAt: clock.at,
    nextProbeAt: clock.at + HOUR,
  });
  assert.equal(find(givenUp, '1.2.3.4:27015'), undefined);
  assert.equal(givenUp.find(`css ${NAME}`, []), undefined);
});

test('a given-up server that could not be queried has the status pending', async t => {
  const { clock, givenUp } = await opened(t);
  const pending = pendingOf(NAME, clock.at);
  clock.at += 2 * HOUR;
  const kept = givenUp.addServer(
    pending,
    recordUnknowable(pending, 'unresolvable_host', 0, clock.at, MINUTE),
  );
  assert.deepEqual([kept.status, kept.reason, kept.intervalMs], ['pending', 'unresolvable_host', HOUR]);
});

test('a given-up server is tried again after an hour; each failed try doubles the pause, up to a day', async t => {
  const { clock, givenUp } = await opened(t);
  giveUp(givenUp, NAME, clock.at);
  const pauses: number[] = [];
  for (let i = 0; i < 8; i++) {
    const due: ServerRecord[] = [];
    const { nextProbeAt = 0 } = find(givenUp, NAME) ?? {};
    pauses.push((nextProbeAt - clock.at) / HOUR);
    clock.at = nextProbeAt - 1;
    givenUp.find(`csgo ${NAME}`, due);
    assert.deepEqual(due, []);
    clock.at++;
    const record = givenUp.find(`csgo ${NAME}`, due);
    assert.deepEqual(due, [record]);
    assert.equal(record?.nextProbeAt, clock.at);
    // A given-up server whose pause is over is tracked again for one probe.
    assert.ok(record && givenUp.forget(record.key));
    givenUp.addServer(record, offlineRecord(record, clock.at));
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 24, 24, 24]);
});

test('if the clock was years ahead when a server was given up, the server can still be tried again after the correction', async t => {
  const { clock, givenUp } = await opened(t);
  const right = clock.at;
  clock.at += 1e11;
  giveUp(givenUp, NAME, clock.at);
  clock.at = right;
  const due: ServerRecord[] = [];
  givenUp.find(`csgo ${NAME}`, due);
  assert.equal(due.length, 1);
});

test('if there are too many given-up servers, the server that was fetched least recently is dropped', async t => {
  const { clock, givenUp, stored } = await opened(t, 3);
  for (const port of [1, 2, 3]) giveUp(givenUp, `1.2.3.4:${port}`, clock.at);
  find(givenUp, '1.2.3.4:1');
  giveUp(givenUp, '1.2.3.4:4', clock.at);
  assert.equal(givenUp.size, 3);
  assert.deepEqual(
    [1, 2, 3, 4].map(port => find(givenUp, `1.2.3.4:${port}`) !== undefined),
    [true, false, true, true],
  );
  assert.deepEqual(
    (await stored()).map(([key]) => key),
    ['n/csgo 1.2.3.4:1', 'n/csgo 1.2.3.4:3', 'n/csgo 1.2.3.4:4'],
  );
});

test('a restart keeps every given-up server with its status, its pause and the token that inserted it', async t => {
  const { clock, givenUp, open, corrupt } = await opened(t);
  giveUp(givenUp, NAME, clock.at);
  giveUp(givenUp, '[2001:db8::1]:27015', clock.at);
  givenUp.forget('csgo [2001:db8::1]:27015');
  const before = find(givenUp, NAME);
  const again = await open();
  assert.equal(again.size, 1);
  assert.deepEqual(find(again, NAME), before);
  assert.deepEqual(corrupt, []);
});

test('if the limit of given-up servers is lower after a restart, the servers that were tried last are kept', async t => {
  const { clock, givenUp, open, stored } = await opened(t);
  for (const [i, port] of [3, 1, 2].entries()) {
    giveUp(givenUp, `1.2.3.4:${port}`, clock.at + i * MINUTE);
  }
  const again = await open(2);
  assert.equal(again.size, 2);
  assert.equal(find(again, '1.2.3.4:3'), undefined);
  assert.equal((await stored()).length, 2);
});

test('a given-up server that is tracked at a restart is not loaded as given up, and its entry is deleted', async t => {
  const { clock, givenUp, open, tracked, stored } = await opened(t);
  giveUp(givenUp, NAME, clock.at);
  tracked.add(`csgo ${NAME}`);
  const again = await open();
  assert.equal(again.size, 0);
  assert.deepEqual(await stored(), []);
});

test('a corrupt entry of a given-up server is reported and deleted, and the other entries are kept', async t => {
  const { clock, givenUp, open, corrupt, stored, write } = await opened(t);
  for (const port of [1, 2, 3]) giveUp(givenUp, `1.2.3.4:${port}`, clock.at);
  const [first, second] = await stored();
  assert.ok(first && second);
  const flipped = Buffer.from(first[1]);
  flipped[20] = (flipped[20] ?? 0) ^ 1;
  await write(first[0], flipped);
  // Stores the value of another server under this key.
  await write('n/csgo 1.2.3.4:9', second[1]);
  await write('n/csgo 1.2.3.4:8', Buffer.alloc(0));
  const again = await open();
  assert.deepEqual(corrupt, ['n/csgo 1.2.3.4:1', 'n/csgo 1.2.3.4:8', 'n/csgo 1.2.3.4:9']);
  assert.equal(again.size, 2);
  assert.equal((await stored()).length, 2);
});

test('GivenUpServers.forget removes a server and its entry, and returns false for a server that is not given up', async t => {
  const { clock, givenUp, stored } = await opened(t);
  giveUp(givenUp, NAME, clock.at);
  assert.deepEqual([givenUp.forget(`csgo ${NAME}`), givenUp.forget(`csgo ${NAME}`)], [true, false]);
  assert.deepEqual([givenUp.size, find(givenUp, NAME), await stored()], [0, undefined, []]);
});
