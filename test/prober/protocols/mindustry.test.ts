import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mindustry } from '../../../prober/protocols/mindustry.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const word = (text: string) => bytes(Buffer.byteLength(text), text);
const i32be = (value: number) =>
  bytes(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);

interface Info {
  name?: string;
  players?: number;
  maxplayers?: number;
  build?: number;
}

const info = ({ name = 'Peer', players = 3, maxplayers = 30, build = 146 }: Info = {}) =>
  bytes(
    ...[
      word(name),
      word('Frozen [accent]Forest'),
      i32be(players),
      i32be(77),
      i32be(build),
      word('official'),
      0,
    ],
    ...[i32be(maxplayers), word('a description')],
  );
const receive = (reply: Buffer) => openDatagrams(mindustry).receive(reply);

test('Mindustry: the request is the two bytes fe 01', () => {
  assert.deepEqual(openDatagrams(mindustry).request(), [Buffer.from([0xfe, 1])]);
});

test('Mindustry: reads the status from one reply, and ignores fields that later game versions append', () => {
  const status = { name: 'Peer', map: 'Frozen Forest', players: 3, maxplayers: 30, version: '146' };
  assert.deepEqual(statusOf(receive(info())), status);
  assert.deepEqual(statusOf(receive(bytes(info(), word('sandbox'), 0x19, 0xa7))), status);
  assert.deepEqual(statusOf(receive(bytes(info(), Buffer.alloc(300)))), status);
});

test('Mindustry: removes colour codes and icons from names, and keeps other text in brackets', () => {
  const name = '[scarlet][EU] [#ff8800]Peer[] [LIGHT_GRAY]\ue801v7[white]';
  assert.equal(statusOf(receive(info({ name }))).name, '[EU] Peer v7');
});

test('Mindustry: reports no maximum for a server without a player limit, and no version for a custom build of the game', () => {
  const status = statusOf(receive(info({ maxplayers: 0, build: -1 })));
  assert.equal(status.maxplayers, undefined);
  assert.equal(status.version, undefined);
});

test('Mindustry: ignores messages that a server sends to its players', () => {
  assert.equal(receive(bytes(0xfe, 2)).kind, 'more');
});

test('Mindustry: rejects a truncated reply and negative counts', () => {
  const whole = info();
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const reply of [info({ players: -1 }), info({ maxplayers: -1 })])
    assert.equal(receive(reply).kind, 'malformed');
});
