import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gamespy3 } from '../../../prober/protocols/gamespy3.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';
import { challenge, LIST, ONE, STATUS } from './gamespy3-replies.ts';

test('GameSpy 3: requests a challenge, then sends one query with the challenge, and ignores a second challenge', () => {
  const exchange = openDatagrams(gamespy3);
  assert.deepEqual(exchange.request(), [Buffer.from('fefd0905060708', 'hex')]);
  const query = [Buffer.from('fefd0005060708ffc56a34ffffff01', 'hex')];
  assert.deepEqual(packetsOf(exchange.receive(challenge('-3839436'))), query);
  assert.equal(exchange.receive(challenge('1')).kind, 'more');
});

test('GameSpy 3: sends a query without a challenge if the server sends 0 or an empty text as the challenge', () => {
  for (const text of ['0', '']) {
    const exchange = openDatagrams(gamespy3);
    const packets = packetsOf(exchange.receive(challenge(text)));
    assert.deepEqual(packets, [Buffer.from('fefd0005060708ffffff01', 'hex')]);
    assert.equal(exchange.receive(challenge('5')).kind, 'more');
  }
});

test('GameSpy 3: accepts the largest and the smallest challenge, and ignores zero bytes after a challenge', () => {
  const repeated = (text: string) => {
    const [packet] = packetsOf(openDatagrams(gamespy3).receive(bytes(challenge(text), 0, 0)));
    return packet?.toString('hex', 7, 11);
  };
  assert.deepEqual(['4294967295', '-2147483648', '1'].map(repeated), ['ffffffff', '80000000', '00000001']);
});

test('GameSpy 3: accepts a complete status as the reply to the request for a challenge', () => {
  const exchange = openDatagrams(gamespy3);
  exchange.request();
  assert.deepEqual(statusOf(exchange.receive(ONE)), { ...STATUS, playerList: LIST });
});

test('GameSpy 3: ignores a reply that does not repeat the number of the request', () => {
  for (const reply of [ONE, challenge('5')]) {
    const stranger = bytes(reply.subarray(0, 1), 1, 2, 3, 4, reply.subarray(5));
    assert.equal(openDatagrams(gamespy3).receive(stranger).kind, 'more');
  }
});
