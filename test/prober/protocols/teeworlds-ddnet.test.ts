import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from './exchange.ts';
import { extended, extendedPlayer, more, openTeeworlds as open, player } from './teeworlds-replies.ts';

test('Teeworlds: joins the packets of a DDNet server’s info reply in any order, and ignores duplicates', () => {
  const packets = [
    extended(4, extendedPlayer('a', 1)),
    more(1, extendedPlayer('b', 2), extendedPlayer('c', 3)),
    more(2, extendedPlayer('d', 4)),
  ];
  const whole = {
    name: 'DDNet',
    map: 'Kobra',
    version: '0.6.4',
    password: false,
    players: 4,
    maxplayers: 64,
    playerList: ['a', 'b', 'c', 'd'].map((name, i) => ({ name, score: i + 1 })),
  };
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 1, 0, 0, 2],
  ]) {
    const exchange = open();
    const steps = order.map(i => exchange.receive(packets[i] ?? Buffer.alloc(0)));
    const last = steps.pop();
    assert.ok(last && steps.every(step => step.kind === 'more'));
    assert.deepEqual(statusOf(last), whole);
  }
});

test('Teeworlds: reports the received players if packets are missing, but no player list if a packet is malformed', () => {
  const exchange = open();
  exchange.receive(more(1, extendedPlayer('b', 2)));
  assert.equal(exchange.partial(), undefined);
  exchange.receive(extended(3, extendedPlayer('a', 1)));
  assert.deepEqual(
    exchange
      .partial()
      ?.playerList?.map(({ name }) => name)
      .sort(),
    ['a', 'b'],
  );
  assert.equal(statusOf(exchange.receive(more(2, player('cut', 2)))).playerList, undefined);
  const tooMany = more(2, extendedPlayer('c', 1), extendedPlayer('d', 1));
  assert.equal(statusOf(exchange.receive(tooMany)).playerList, undefined);
});

test('Teeworlds: does not wait for more packets if the first packet of a DDNet server contains no players', () => {
  assert.equal(statusOf(open().receive(extended(30))).players, 30);
  assert.equal(statusOf(open().receive(extended(0))).players, 0);
});
