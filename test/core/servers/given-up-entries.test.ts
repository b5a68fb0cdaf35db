import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find, giveUp, MINUTE, NAME, openedGivenUp } from './opened-given-up-servers.ts';

test('after a restart, gsq still has the records of servers that it stopped tracking', async t => {
  const { clock, givenUp, open, corrupt } = await openedGivenUp(t);
  giveUp(givenUp, NAME, clock.at);
  giveUp(givenUp, '[2001:db8::1]:27015', clock.at);
  givenUp.forget('csgo [2001:db8::1]:27015');
  const before = find(givenUp, NAME);
  const again = await open();
  assert.equal(again.size, 1);
  assert.deepEqual(find(again, NAME), before);
  assert.deepEqual(corrupt, []);
});

test('after a restart with a shorter maximum length, the list of untracked servers keeps the newest entries', async t => {
  const { clock, givenUp, open, stored } = await openedGivenUp(t);
  for (const [i, port] of [3, 1, 2].entries()) {
    giveUp(givenUp, `1.2.3.4:${port}`, clock.at + i * MINUTE);
  }
  const again = await open(2);
  assert.equal(again.size, 2);
  assert.equal(find(again, '1.2.3.4:3'), undefined);
  assert.equal((await stored()).length, 2);
});

test('when the core starts, it removes a server from the list of untracked servers if gsq tracks the server again', async t => {
  const { clock, givenUp, open, tracked, stored } = await openedGivenUp(t);
  giveUp(givenUp, NAME, clock.at);
  tracked.add(`csgo ${NAME}`);
  const again = await open();
  assert.equal(again.size, 0);
  assert.deepEqual(await stored(), []);
});

test('when the core starts, it reports and deletes corrupt entries in the list of untracked servers', async t => {
  const { clock, givenUp, open, corrupt, stored, write } = await openedGivenUp(t);
  for (const port of [1, 2, 3]) giveUp(givenUp, `1.2.3.4:${port}`, clock.at);
  const [first, second] = await stored();
  assert.ok(first && second);
  const flipped = Buffer.from(first[1]);
  flipped[20] = (flipped[20] ?? 0) ^ 1;
  await write(first[0], flipped);
  // Stores the value of one server under the key of a different server. The checksum covers the key too, so the
  // checksum is wrong.
  await write('n/csgo 1.2.3.4:9', second[1]);
  await write('n/csgo 1.2.3.4:8', Buffer.alloc(0));
  const again = await open();
  assert.deepEqual(corrupt, ['n/csgo 1.2.3.4:1', 'n/csgo 1.2.3.4:8', 'n/csgo 1.2.3.4:9']);
  assert.equal(again.size, 2);
  assert.equal((await stored()).length, 2);
});
