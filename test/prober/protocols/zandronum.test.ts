import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zandronum } from '../../../prober/protocols/zandronum.ts';
import { decode, encode } from '../../../prober/protocols/zandronum-huffman.ts';
import { bytes, cstring, i32, u16 } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const NUMBER = Buffer.from('08070605', 'hex');
const WANTED = 0x180499;
const ACCEPTED = 5_660_023;
const [DEATHMATCH, CAPTURE_THE_FLAG] = [3, 12];

interface Listed {
  name: string;
  score: number;
  bot?: boolean;
  minutes?: number;
}

/**
 * Builds the part of a Zandronum reply that begins with the server name and ends with the player list. `team` is the
 * team byte of each player, which only some game modes send.
 */
function facts(players: Listed[], mode = DEATHMATCH, team = mode === CAPTURE_THE_FLAG ? bytes(1) : bytes()) {
  const listed = players.map(({ name, score, bot = false, minutes = 0 }) =>
    bytes(cstring(name), u16(score & 0xffff), u16(40), 1, bot ? 1 : 0, team, minutes),
  );
  const head = bytes(cstring('\x1cgPeer \x1c[Light Blue]Doom \\cdII'), cstring('MAP07'), 32, mode, 0, 1, 1);
  return bytes(head, players.length, ...listed);
}

const reply = (body: Buffer, told = WANTED, response = ACCEPTED, number: Buffer = NUMBER) =>
  encode(bytes(i32(response), number, cstring('3.1'), i32(told), body));
const receive = (datagram: Buffer) => openDatagrams(zandronum).receive(datagram);

test('Zandronum: gsq and an independent program compress a request to the same bytes', () => {
  // A compressed Zandronum request from a program other than gsq. Uncompressed, it contains the numbers 199 and
  // 0x01fb7fff and the text "!!!!".
  const packed = Buffer.from('02b8491a9c8bb53f1e8f07', 'hex');
  const question = Buffer.from('c7000000ff7ffb0121212121', 'hex');
  assert.deepEqual(decode(packed), question);
  assert.deepEqual(encode(question), packed);
  const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  assert.deepEqual(decode(encode(all)), all);
  assert.deepEqual(encode(all)[0], 0xff);
  assert.deepEqual(encode(Buffer.alloc(16)).length, 1 + 6);
  assert.deepEqual(decode(encode(Buffer.alloc(16))), Buffer.alloc(16));
});

test('Zandronum: the request contains a number that the reply must repeat, and the flags of the fields that gsq reads', () => {
  const [question = bytes()] = openDatagrams(zandronum).request();
  assert.deepEqual(decode(question), bytes(i32(199), i32(WANTED), NUMBER));
});

test('Zandronum: reads the server properties and the players in game modes with and without teams', () => {
  const players = [
    { name: '\x1ckone', score: 300, minutes: 7 },
    { name: 'a bot', score: -2, bot: true },
  ];
  for (const mode of [DEATHMATCH, CAPTURE_THE_FLAG]) {
    assert.deepEqual(statusOf(receive(reply(facts(players, mode)))), {
      ...{ name: 'Peer Doom II', map: 'MAP07', players: 2, maxplayers: 32, password: true, version: '3.1' },
      ...{
        numbots: 1,
        playerList: [
          { name: 'one', score: 300, time: 420 },
          { name: 'a bot', score: -2, time: 0 },
        ],
      },
    });
  }
});

test('Zandronum: accepts a reply without optional fields if the flags in the reply say that these fields are absent', () => {
  const body = bytes(cstring('Peer'), 8, DEATHMATCH, 0, 0, 5);
  assert.deepEqual(statusOf(receive(reply(body, 0x80091))), {
    ...{ name: 'Peer', map: '', players: 5, maxplayers: 8, password: false, version: '3.1' },
  });
});

test('Zandronum: ignores a reply that does not repeat the number of the request', () => {
  assert.equal(receive(reply(facts([]), WANTED, ACCEPTED, i32(1))).kind, 'more');
});

test('Zandronum: reports an unknown status if the server replies that gsq is banned or queries too often', () => {
  const refusal = (response: number, number: Buffer = NUMBER) =>
    receive(encode(bytes(i32(response), number)));
  assert.deepEqual(refusal(5_660_024), {
    kind: 'unknowable',
    answer: { kind: 'paced', detail: 'the server was asked a moment ago', retryAfterMs: 10_000 },
  });
  assert.deepEqual(refusal(5_660_025), {
    kind: 'unknowable',
    answer: { kind: 'directory-refused', detail: 'the server bans us' },
  });
  for (const response of [5_660_024, 5_660_025])
    assert.equal(refusal(response, i32(1)).kind, 'more', "another's refusal");
});

test('Zandronum: rejects wrong reply types, fields that gsq has not requested, missing fields, and extra bytes', () => {
  for (const datagram of [
    encode(i32(5_660_024)),
    reply(facts([]), WANTED, 5_660_032),
    reply(facts([]), WANTED | 2),
    reply(facts([]), WANTED & ~0x80),
    reply(bytes(facts([]), 0)),
    reply(facts([{ name: 'one', score: 1 }], DEATHMATCH, bytes(1))),
  ]) {
    assert.equal(receive(datagram).kind, 'malformed', datagram.toString('hex'));
  }
});

test('Zandronum: rejects a reply that is truncated at any byte or not compressed', () => {
  const whole = reply(facts([{ name: 'one', score: 1 }]));
  for (let length = 0; length < whole.length; length++)
    assert.equal(receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  for (const unused of [8, 0xfe])
    assert.equal(receive(bytes(unused, whole.subarray(1))).kind, 'malformed', `${unused} bits`);
});
