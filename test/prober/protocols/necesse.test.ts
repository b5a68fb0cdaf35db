import assert from 'node:assert/strict';
import { test } from 'node:test';
import { necesse } from '../../../prober/protocols/necesse.ts';
import { bytes, u16be } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const NUMBER = Buffer.from('05060708', 'hex');
const WORLD = Buffer.alloc(8, 0xaa);
const MODS = Buffer.alloc(4, 0xbb);
/**
 * Encoded game settings in a reply of a Necesse server: normal difficulty, dead players drop their materials,
 * occasional raids, normal length of day and night.
 */
const SETTINGS = bytes(2, 1, 1, Buffer.from('3f8000003f800000', 'hex'));

const utf16 = (text: string) => bytes(u16be(text.length), Buffer.from(text, 'utf16le').swap16());

interface Told {
  players?: number;
  maxplayers?: number;
  bits?: number;
  version?: Buffer;
}

/** Builds a complete reply of a Necesse server. Its last fields are the version and the settings of the server. */
const said = ({ players = 3, maxplayers = 10, bits = 0x4c, version = utf16('0.24.2') }: Told = {}) =>
  bytes(0, 0, 0, NUMBER, WORLD, players, maxplayers, bits, MODS, version, SETTINGS);
const receive = (reply: Buffer) => openDatagrams(necesse).receive(reply);

test('Necesse: the request contains a request number, and port 0, so that the server replies to the port of the sender', () => {
  assert.deepEqual(openDatagrams(necesse).request(), [bytes(0, 0, 1, 0, 0, NUMBER)]);
});

test('Necesse: reads players, slots, password and version; the name is empty, because a reply contains no name', () => {
  const status = { name: '', players: 3, maxplayers: 10, password: false, version: '0.24.2' };
  assert.deepEqual(statusOf(receive(said())), status);
  assert.deepEqual(statusOf(receive(said({ bits: 0x4d }))), { ...status, password: true });
  assert.deepEqual(statusOf(receive(said({ bits: 1, players: 255, maxplayers: 250 }))), {
    ...status,
    ...{ password: true, players: 255, maxplayers: 250 },
  });
});

test('Necesse: reads a version of up to 64 characters, and ignores extra bytes at the end of the reply', () => {
  for (const version of ['', '1.0.1', '0.21.28', '1'.repeat(64)])
    assert.equal(statusOf(receive(said({ version: utf16(version) }))).version, version);
  assert.equal(statusOf(receive(bytes(said(), Buffer.alloc(16, 0xff)))).version, '0.24.2');
});

test('Necesse: ignores a reply that does not repeat the number of the request', () => {
  for (let at = 3; at < 7; at++) {
    const other = said();
    other.writeUInt8(0xff, at);
    assert.equal(receive(other).kind, 'more', `byte ${at}`);
  }
});

test('Necesse: rejects a reply that is truncated at any byte', () => {
  const whole = said();
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
});

test('Necesse: rejects split messages, wrong message types, versions over 64 characters, and packets over 1024 bytes', () => {
  for (const start of ['010000', '020000', '000001', '000100']) {
    const reply = said();
    reply.write(start, 'hex');
    assert.equal(receive(reply).kind, 'malformed', start);
  }
  assert.equal(receive(said({ version: utf16('1'.repeat(65)) })).kind, 'malformed');
  assert.equal(receive(said({ version: bytes(0xff, 0xff, Buffer.alloc(512)) })).kind, 'malformed');
  const rest = 1024 - said().length;
  assert.equal(receive(bytes(said(), Buffer.alloc(rest))).kind, 'done');
  assert.equal(receive(bytes(said(), Buffer.alloc(rest + 1))).kind, 'malformed');
});
