import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jc2mp } from '../../../prober/protocols/jc2mp.ts';
import { bytes, cstring, u16be } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const ID = Buffer.from('05060708', 'hex');
const FACTS = [
  'hostname',
  'Panau',
  'version',
  '0.2',
  'maxplayers',
  '1000',
  'numplayers',
  '2',
  'password',
  '0',
  '',
];
const player = (name: string) => bytes(cstring(name), cstring('76561190000000001'), u16be(48));
const reply = (...players: Buffer[]) =>
  bytes(0, ID, cstring('splitnum'), 0, 0, ...FACTS.map(cstring), u16be(players.length), ...players);

function open() {
  const exchange = openDatagrams(jc2mp);
  exchange.request();
  const query = packetsOf(exchange.receive(bytes(9, ID, cstring('1'))));
  assert.deepEqual(query, [Buffer.from('fefd000506070800000001ffffff02', 'hex')]);
  return exchange;
}

test('Just Cause 2: reads server properties and player names from one packet, even if it is not marked as the last packet', () => {
  assert.deepEqual(statusOf(open().receive(reply(player('Ann'), player('B\u00f6b')))), {
    name: 'Panau',
    players: 2,
    maxplayers: 1000,
    version: '0.2',
    password: false,
    playerList: [{ name: 'Ann' }, { name: 'B\u00f6b' }],
  });
});

test('Just Cause 2: rejects a truncated reply, but accepts a reply that ends before the first player or after a whole player entry', () => {
  const whole = reply(player('Ann'), player('Bob'));
  const size = player('Ann').length;
  for (let length = 0; length < whole.length; length++) {
    const isBetween = length === whole.length - size || length === whole.length - 2 * size;
    assert.equal(
      open().receive(whole.subarray(0, length)).kind,
      isBetween ? 'done' : 'malformed',
      `${length}`,
    );
  }
});

test('Just Cause 2: rejects a list of more than 1024 players', () => {
  const crowd = Array.from({ length: 1025 }, () => player(''));
  assert.equal(open().receive(reply(...crowd)).kind, 'malformed');
});
