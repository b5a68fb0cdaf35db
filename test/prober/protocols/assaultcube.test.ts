import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assaultcube } from '../../../prober/protocols/assaultcube.ts';
import { int, string } from '../../fleet/responders/cube.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const QUESTION = Buffer.from('810807068501', 'hex');
const ints = (...values: number[]) => bytes(...values.map(int));

const info = (players: number, names: string[], flags = 0, names_ = 1) =>
  bytes(
    ...[QUESTION, ints(1201, 5, players, 9), string('ac_desert'), string('\f3Peer \f0Cube'), ints(20, flags)],
    ...[int(names_), ...names.map(string), string('')],
  );
const receive = (reply: Buffer) => openDatagrams(assaultcube).receive(reply);

test('AssaultCube: requests the info and the player names with one packet', () => {
  assert.deepEqual(openDatagrams(assaultcube).request(), [QUESTION]);
});

test('AssaultCube: reads the server properties and the player names from one reply', () => {
  assert.deepEqual(statusOf(receive(info(3, ['one', 'two'], 0x41))), {
    ...{ name: 'Peer Cube', map: 'ac_desert', players: 3, maxplayers: 20, password: true },
    playerList: [{ name: 'one' }, { name: 'two' }],
  });
  assert.equal(statusOf(receive(info(0, [], 0x80))).password, false);
});

test('AssaultCube: ignores a reply that does not repeat the number of the request', () => {
  assert.equal(receive(bytes(0x81, 1, 2, 3, 0x84, info(0, []).subarray(5))).kind, 'more');
});

test('AssaultCube: rejects a truncated reply, more names than the player count, and bytes after the names', () => {
  const whole = info(2, ['one', 'two']);
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const reply of [bytes(whole, 0), info(1, ['one', 'two']), info(0, [], 0, 0), info(-1, [])])
    assert.equal(receive(reply).kind, 'malformed', reply.toString('hex'));
});

test('AssaultCube: rejects a packet of more than 5000 bytes, the maximum packet size of the game', () => {
  const bytesWithout = info(0, []).length - 'ac_desert'.length;
  const named = (length: number) =>
    bytes(
      QUESTION,
      ints(1201, 5, 0, 9),
      string('m'.repeat(length)),
      string('\f3Peer \f0Cube'),
      ints(20, 0, 1),
      string(''),
    );
  assert.equal(statusOf(receive(named(5_000 - bytesWithout))).players, 0);
  assert.equal(receive(named(5_001 - bytesWithout)).kind, 'malformed');
});
