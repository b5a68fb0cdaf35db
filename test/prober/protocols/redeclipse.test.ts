import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redeclipse } from '../../../prober/protocols/redeclipse.ts';
import { int, string } from '../../fleet/responders/cube.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const NUMBER = Buffer.from('8108070685', 'hex');
const ints = (...values: number[]) => bytes(...values.map(int));
const ATTRIBUTES = [230, 2, 4, 600, 14, 4, 4998, 0, 1, 6, 2, 2, 64, 0, 0];

const info = (names: string[], attributes = ATTRIBUTES, players = names.length) =>
  bytes(
    ...[
      NUMBER,
      ints(players, attributes.length, ...attributes),
      string('maps/erosion'),
      string('\fs\fyPeer\fS'),
    ],
    ...[string('stable'), ...names.map(string), ...names.map(() => string('account'))],
  );
const receive = (reply: Buffer) => openDatagrams(redeclipse).receive(reply);

test('Red Eclipse: the request is one packet that contains only a request number', () => {
  assert.deepEqual(openDatagrams(redeclipse).request(), [NUMBER]);
});

test('Red Eclipse: reads server properties and player names from one reply, and removes colour codes and icons from names', () => {
  assert.deepEqual(statusOf(receive(info(['\f[16711680]red', '\fzRehorn\f(icons/x)']))), {
    ...{ name: 'Peer', map: 'maps/erosion', players: 2, maxplayers: 14, password: true, version: '1.6.2' },
    playerList: [{ name: 'red' }, { name: 'horn' }],
  });
});

test('Red Eclipse: ignores attributes that later versions append', () => {
  const { players, password } = statusOf(receive(info([], [...ATTRIBUTES.with(5, 0), 7, 7])));
  assert.deepEqual([players, password], [0, false]);
});

test('Red Eclipse: ignores a reply that does not repeat the number of the request', () => {
  assert.equal(receive(bytes(0x81, 1, 2, 3, 0x84, info([]).subarray(5))).kind, 'more');
});

test('Red Eclipse: rejects a truncated reply, invalid counts, and trailing bytes', () => {
  const whole = info(['one', 'two']);
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const reply of [
    bytes(whole, 0),
    info([], ATTRIBUTES, -1),
    info([], ATTRIBUTES, 256),
    info([], ATTRIBUTES.slice(0, 14)),
    info([], ATTRIBUTES.with(4, -1)),
    info([], new Array(65).fill(0)),
  ]) {
    assert.equal(receive(reply).kind, 'malformed', reply.toString('hex'));
  }
});
