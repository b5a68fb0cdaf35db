import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sauerbraten } from '../../../prober/protocols/sauerbraten.ts';
import { int, string } from '../../fleet/responders/cube.ts';
import { bytes } from './bytes.ts';
import { CONTEXT, openDatagrams, packetsOf, statusOf } from './exchange.ts';

const NUMBER = Buffer.from('8108070685', 'hex');
const LIST = bytes(0, 1, 0xff, NUMBER);
const ints = (...values: number[]) => bytes(...values.map(int));
const info = (players: number, attributes = [260, 3, 600, 16, 0]) =>
  bytes(NUMBER, int(players), int(attributes.length), ints(...attributes), string('turbine'), string('Peer'));
const ids = (...listed: number[]) => bytes(LIST, ints(-1, 105, 0, -10, ...listed));
const stats = (id: number, name: string, score: number) =>
  bytes(LIST, ints(-1, 105, 0, -11, id, 63), string(name), string('good'), ints(score, 1, 9, 0, 33), 100);

/** Returns a Sauerbraten query in progress that has received the server info and requested the player list. */
function started(players = 2) {
  const exchange = openDatagrams(sauerbraten);
  assert.deepEqual(packetsOf(exchange.receive(info(players))), [LIST]);
  return exchange;
}

test('Sauerbraten: the request is a number other than zero, even if the nonce is zero', () => {
  assert.deepEqual(openDatagrams(sauerbraten).request(), [NUMBER]);
  assert.equal(sauerbraten.transport, 'udp');
  if (sauerbraten.transport !== 'udp') return;
  assert.deepEqual(sauerbraten.open({ ...CONTEXT, nonce: 0n }).request(), [Buffer.from('8100000080', 'hex')]);
});

test('Sauerbraten: does not request the players of an empty server', () => {
  assert.deepEqual(statusOf(openDatagrams(sauerbraten).receive(info(0))), {
    ...{ name: 'Peer', map: 'turbine', players: 0, maxplayers: 16, password: false },
  });
});

test('Sauerbraten: recognises a password by master mode 4, and accepts the additional attributes of a paused game', () => {
  const receive = (attributes: number[]) => statusOf(openDatagrams(sauerbraten).receive(info(0, attributes)));
  assert.equal(receive([260, 3, 600, 16, 4]).password, true);
  assert.equal(receive([260, 3, 600, 16, -1]).password, false);
  assert.equal(receive([260, 3, 600, 200, 0, 1, 100]).maxplayers, 200);
});

test('Sauerbraten: lists players in the order in which the server sent their ids, and leaves out bots', () => {
  const exchange = started();
  assert.equal(exchange.receive(stats(7, 'second', -3)).kind, 'more');
  assert.equal(exchange.receive(ids(2, 7, 128, 129)).kind, 'more');
  assert.equal(exchange.receive(stats(128, 'a bot', 9)).kind, 'more');
  assert.deepEqual(statusOf(exchange.receive(stats(2, '\f3fir\fs\f0st\fr', 300))).playerList, [
    { name: 'first', score: 300 },
    { name: 'second', score: -3 },
  ]);
});

test('Sauerbraten: decodes player names from the character set of the game', () => {
  const named = bytes(LIST, ints(-1, 105, 0, -11, 0, 63), 1, 0x80, 0x80, 0xff, 0x9f, 0, 0, 5);
  const exchange = started(1);
  exchange.receive(ids(0));
  assert.equal(statusOf(exchange.receive(named)).playerList?.[0]?.name, 'ÀÝĄ');
});

test('Sauerbraten: reports the status without a player list if the list is refused, malformed or missing', () => {
  const status = statusOf(openDatagrams(sauerbraten).receive(info(0)));
  const refusal = bytes(LIST, ints(-1, 105, 1));
  for (const reply of [refusal, bytes(LIST, ints(-1, 104, 0, -10, 0)), bytes(LIST, ints(-1, 105, 0, -9))])
    assert.deepEqual(statusOf(started(1).receive(reply)), { ...status, players: 1 });
  assert.deepEqual(started(1).partial(), { ...status, players: 1 });
  assert.equal(openDatagrams(sauerbraten).partial(), undefined);
});

test('Sauerbraten: ignores a second info, and a reply that does not repeat the number of the request', () => {
  const another = bytes(Buffer.from('8101020384', 'hex'), info(0).subarray(5));
  assert.equal(openDatagrams(sauerbraten).receive(another).kind, 'more');
  assert.equal(started().receive(info(2)).kind, 'more');
  assert.equal(started().receive(bytes(0, 1, 0xff, another)).kind, 'more');
});

test('Sauerbraten: rejects an info that is truncated, has invalid counts or attributes, or has trailing bytes', () => {
  const whole = info(0);
  for (let length = 0; length < whole.length; length++)
    assert.equal(
      openDatagrams(sauerbraten).receive(whole.subarray(0, length)).kind,
      'malformed',
      `${length}`,
    );
  for (const reply of [
    bytes(whole, 0),
    info(-1),
    info(0, [260, 3, 600, 16]),
    info(0, [260, 3, 600, -1, 0]),
    info(0, new Array(65).fill(1)),
    bytes(0, whole),
  ]) {
    assert.equal(openDatagrams(sauerbraten).receive(reply).kind, 'malformed', reply.toString('hex'));
  }
});
