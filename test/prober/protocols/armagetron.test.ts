import assert from 'node:assert/strict';
import { test } from 'node:test';
import { armagetron } from '../../../prober/protocols/armagetron.ts';
import { bytes, u16be } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const number = (value: number) => bytes(u16be(value & 0xffff), u16be(value >>> 16));
const message = (kind: number, body: Buffer, words = body.length / 2) =>
  bytes(u16be(kind), u16be(9), u16be(words), body, u16be(0));
/**
 * Strings in the encoding of Armagetron, which swaps the two letters of each 16-bit word. NAME is `PeerA`. NAMES is the
 * colour code `0xff0000`, the player name `a` and a line feed.
 */
const NAME = bytes(u16be(6), 'eP', 're', 0, 'A');
const NAMES = bytes(u16be(11), 'x0', 'ff', '00', '00', '\na', 0, 0);
const RELEASE = bytes(u16be(5), '.0', '.2', 0, 0);
const NOTHING = u16be(0);

const info = ({ players = 1, names = NAMES, port = 4464 } = {}) =>
  bytes(
    ...[number(port), NOTHING, NAME, number(players), number(0), number(70_000), RELEASE, number(65_543)],
    ...[names, NOTHING, NOTHING],
  );
const receive = (reply: Buffer) => openDatagrams(armagetron).receive(reply);

test('Armagetron: requests the short info before the full info', () => {
  const exchange = openDatagrams(armagetron);
  assert.deepEqual(exchange.request(), [bytes(0, 52, 0, 0, 0, 0, 0, 17), bytes(0, 53, 0, 0, 0, 0, 0, 17)]);
  assert.equal(exchange.partial(), undefined);
});

test('Armagetron: decodes strings and numbers that are sent in 16-bit words, and removes colour codes', () => {
  assert.deepEqual(statusOf(receive(message(51, info()))), {
    ...{ name: 'PeerA', players: 1, maxplayers: 65_543, version: '0.2.', connectPort: 4464 },
    playerList: [{ name: 'a' }],
  });
});

test('Armagetron: reads the info of an empty server, and leaves out an invalid join port', () => {
  const status = statusOf(receive(message(51, info({ players: 0, names: NOTHING, port: 70_000 }))));
  assert.deepEqual(status.playerList, []);
  assert.equal(status.connectPort, undefined);
});

test('Armagetron: ignores a message that does not contain the full server info', () => {
  assert.equal(receive(message(50, bytes(0, 0))).kind, 'more');
});

test('Armagetron: rejects a truncated reply, wrong lengths, and more than 255 players', () => {
  const whole = message(51, info());
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const reply of [
    bytes(whole, 0),
    message(51, info(), 3),
    message(51, info({ players: 256 })),
    message(51, info().subarray(0, 20)),
  ]) {
    assert.equal(receive(reply).kind, 'malformed', reply.toString('hex'));
  }
});
