import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bzflag } from '../../../prober/protocols/bzflag.ts';
import { bytes, u16be } from './bytes.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';

const HELLO = bytes('BZFS0221', 7);
const message = (name: string, body: Buffer) => bytes(u16be(body.length), name, body);
const shorts = (...values: number[]) => bytes(...values.map(u16be));
const padded = (text: string, length: number) => bytes(text, Buffer.alloc(length - Buffer.byteLength(text)));

/**
 * The message about the game of a BZFlag server with 17 player slots, two players in the first team and one observer.
 */
const GAME = message('qg', shorts(0, 16, 17, 1, 2, 0, 0, 0, 0, 1, 9, 2, 2, 2, 2, 3, 0, 0, 0, 0, 0, 0));
const announced = (count: number) => message('qp', shorts(5, count));
const TEAMS = message('tu', bytes(1, shorts(0, 2, 0, 0)));
const player = (id: number, name: string, won: number, lost: number) =>
  message('ap', bytes(id, shorts(0, 0, won, lost, 1), padded(name, 32), padded('motto', 128)));
const ALL = bytes(GAME, announced(2), TEAMS, player(0, 'one', 9, 2), player(1, 'x'.repeat(32), 0, 3));

const STATUS = { name: '', players: 3, maxplayers: 17 };

/** Returns a BZFlag query in progress that has received the server's greeting and sent its requests. */
function greeted() {
  const exchange = openStream(bzflag);
  packetsOf(exchange.receive(HELLO));
  return exchange;
}

test('BZFlag: sends a greeting, and requests game and players after the complete greeting of the server', () => {
  const exchange = openStream(bzflag);
  assert.deepEqual(exchange.request(), [Buffer.from('BZFLAG\r\n\r\n')]);
  assert.equal(exchange.receive(HELLO.subarray(0, 3)).kind, 'more');
  assert.equal(exchange.receive(HELLO.subarray(3, 8)).kind, 'more');
  assert.deepEqual(packetsOf(exchange.receive(HELLO.subarray(8))), [Buffer.from('\0\0qg\0\0qp')]);
  assert.equal(exchange.partial(), undefined);
});

test('BZFlag: reads counts and players in chunks of any size', () => {
  for (let size = 1; size <= ALL.length; size++) {
    const exchange = greeted();
    for (let at = 0; at + size < ALL.length; at += size)
      assert.equal(exchange.receive(ALL.subarray(at, at + size)).kind, 'more');
    const last = ALL.subarray(ALL.length - (ALL.length % size || size));
    assert.deepEqual(statusOf(exchange.receive(last)), {
      ...STATUS,
      playerList: [
        { name: 'one', score: 7 },
        { name: 'x'.repeat(32), score: -3 },
      ],
    });
  }
});

test('BZFlag: reports an empty player list if the server announces a list of zero players', () => {
  assert.deepEqual(statusOf(greeted().receive(bytes(GAME, announced(0)))), { ...STATUS, playerList: [] });
});

test('BZFlag: ignores messages that the server sends to every client, but reads at most 322 messages in one query', () => {
  const time = message('gt', Buffer.alloc(8, 1));
  assert.equal(statusOf(greeted().receive(bytes(time, GAME, time, announced(0)))).players, 3);
  assert.equal(greeted().receive(bytes(...new Array(323).fill(time))).kind, 'malformed');
});

test('BZFlag: reports the status without a player list if the list is malformed or missing', () => {
  for (const list of [announced(256), bytes(announced(1), message('ap', Buffer.alloc(170)))])
    assert.deepEqual(statusOf(greeted().receive(bytes(GAME, list))), STATUS);
  const exchange = greeted();
  assert.equal(exchange.receive(bytes(GAME, announced(1))).kind, 'more');
  assert.deepEqual(exchange.partial(), STATUS);
});

test('BZFlag: rejects a greeting with another version, the greeting of a full server, and an invalid game reply', () => {
  for (const hello of ['SSH-2.0-x', 'BZFS0220x', 'BZFS0221\xff'])
    assert.equal(openStream(bzflag).receive(Buffer.from(hello, 'latin1')).kind, 'malformed', hello);
  for (const length of [0, 43, 45])
    assert.equal(greeted().receive(message('qg', Buffer.alloc(length))).kind, 'malformed', `${length}`);
  assert.equal(greeted().receive(message('qg', Buffer.alloc(44, 1))).kind, 'malformed');
});
