import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openttd } from '../../../prober/protocols/openttd.ts';
import { bytes, cstring, i32, u16 } from './bytes.ts';
import { openStream, statusOf } from './exchange.ts';

const GRF = Buffer.alloc(4 + 16, 0xab);
/** Four bytes of the OpenTTD game info: password set, at most 25 players, 3 players, 1 player without a company. */
const COUNTS = bytes(1, 25, 3, 1);
/** The last fields of the game info: width and height of the map, landscape, and the dedicated server flag. */
const LAND = bytes(u16(256), u16(512), 2, 1);

/**
 * Builds the game info of OpenTTD in the format `version` (1 to 7). `addOns`, for versions 6 and 7: the game script and
 * the list of add-ons.
 */
function info(version: number, addOns = bytes(0, i32(-1), cstring(''), 1, GRF)): Buffer {
  return bytes(
    version,
    ...(version >= 7 ? [Buffer.alloc(8, 1)] : []),
    ...(version >= 6 ? [addOns] : []),
    ...(version === 5 ? [bytes(i32(1), cstring('Script'), 2, GRF, GRF)] : []),
    ...(version === 4 ? [bytes(2, GRF, GRF)] : []),
    ...(version >= 3 ? [i32(700000), i32(690000)] : []),
    ...(version >= 2 ? [bytes(15, 4, 8)] : []),
    cstring('Peer Transport & Co'),
    cstring('13.4'),
    ...(version < 6 ? [1] : []),
    COUNTS,
    ...(version < 3 ? [u16(100), u16(90)] : []),
    ...(version < 6 ? [cstring('Random map')] : []),
    LAND,
  );
}

const packet = (body: Buffer, type = 6, length = body.length + 3) => bytes(u16(length), type, body);
const open = () => openStream(openttd);

test('OpenTTD: requests the game info', () => {
  const exchange = open();
  assert.deepEqual(exchange.request(), [bytes(3, 0, 7)]);
  assert.equal(exchange.partial(), undefined);
});

test('OpenTTD: reads the versions 1 to 7 of the game info', () => {
  for (let version = 1; version <= 7; version++) {
    assert.deepEqual(
      statusOf(open().receive(packet(info(version)))),
      {
        name: 'Peer Transport & Co',
        map: version < 6 ? 'Random map' : '',
        players: 3,
        maxplayers: 25,
        password: true,
        version: '13.4',
      },
      `version ${version}`,
    );
  }
});

test('OpenTTD: reads a game info that lists add-ons by name, and one that lists add-ons by number', () => {
  const named = bytes(1, i32(9), cstring('Script'), 2, GRF, cstring('One'), GRF, cstring(''));
  const tabled = bytes(2, i32(9), cstring(''), 2, i32(1), i32(2));
  for (const addOns of [named, tabled])
    assert.equal(statusOf(open().receive(packet(info(7, addOns)))).players, 3);
});

test('OpenTTD: reads a packet in chunks of any size, and ignores data after the packet', () => {
  const whole = packet(info(7));
  for (let size = 1; size < whole.length; size++) {
    const exchange = open();
    for (let at = 0; at + size < whole.length; at += size)
      assert.equal(exchange.receive(whole.subarray(at, at + size)).kind, 'more');
    const last = whole.subarray(whole.length - (whole.length % size || size));
    assert.equal(statusOf(exchange.receive(bytes(last, 'more'))).players, 3);
  }
});

test('OpenTTD: rejects a game info that is truncated or has trailing bytes', () => {
  for (const version of [1, 4, 7]) {
    const body = info(version);
    for (let length = 0; length < body.length; length++)
      assert.equal(open().receive(packet(body.subarray(0, length))).kind, 'malformed', `cut at ${length}`);
    assert.equal(open().receive(packet(bytes(body, 0))).kind, 'malformed');
  }
});

test('OpenTTD: rejects a packet that has a wrong type or length, an unknown version, or an unknown add-on format', () => {
  for (const datagram of [
    packet(info(7), 0), // The server is full.
    packet(info(7), 1), // The server has banned gsq.
    packet(bytes(0, info(1).subarray(1))),
    packet(bytes(8, info(7).subarray(1))),
    packet(info(7, bytes(3, i32(9), cstring(''), 0))),
    packet(info(7), 6, 2),
    packet(info(7), 6, 32768),
  ]) {
    assert.equal(open().receive(datagram).kind, 'malformed', datagram.toString('hex', 0, 20));
  }
});
