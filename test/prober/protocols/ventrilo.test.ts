import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ventrilo } from '../../../prober/protocols/ventrilo.ts';
import { ventriloReply } from '../../fleet/responders/ventrilo.ts';
import { bytes, u16be } from './bytes.ts';
import { CONTEXT, openDatagrams, statusOf } from './exchange.ts';

/** The id of a Ventrilo request: the lower 16 bits of the nonce. */
const ID = 0x0708;
// An encrypted Ventrilo request from a program other than gsq: command 2, no password, header key 01 02, body key 03
// 04.
const REQUEST = '0102e539659e6edeb9908d2baa1125f919eeb854680a61264de43d4f5aca5e891916edcd';
// An encrypted Ventrilo reply. Decrypted, it contains the lines `NAME: T%C3%A9st`, `PHONETIC: tested`, `AUTH: 1`,
// `MAXCLIENTS: 8`, `VERSION: 3.0.6` and `CLIENTCOUNT: 0`, and a zero byte at the end.
const REPLY = Buffer.from(
  '6f02ae08e17b14a481e70cbe918c21601ad2f67f86658240ad9851bcf1a206de799fbc7dd5dc3bf97a44f18fcfdd1a42b745c50a6994' +
    'f6e37a8e41cbaf3259febf8d26c645528a9662dace5f47606cb3350d997aceae7ff70330294485f9b29c1f640843c95cd1e70d33',
  'hex',
);
const STATUS = { name: 'Tést', version: '3.0.6', players: 0, maxplayers: 8, password: true, playerList: [] };
const FACTS = ['NAME: Guild', 'AUTH: 0', 'MAXCLIENTS: 40', 'CLIENTCOUNT: 3'];
const CLIENTS = [
  'CLIENT: ADMIN=0,CID=305,PHAN=0,PING=63,SEC=2181,NAME=Tuzik%2C Jr.,COMM=',
  'CLIENT: ADMIN=1,CID=0,PHAN=0,PING=1,SEC=7,NAME=Ann,COMM=NAME=no',
  'CLIENT: ADMIN=1,CID=4,PHAN=1,PING=1,SEC=7,NAME=Ann,COMM=',
  'CLIENT: NAME=Bob',
];
const open = () => openDatagrams(ventrilo);
const replyOf = (lines: string[], id = ID): Buffer[] =>
  ventriloReply(id, Buffer.from([...lines, '\0'].join('\n')));

test('Ventrilo: the request is the encrypted command for the detailed status', () => {
  assert.deepEqual(open().request(), [Buffer.from(REQUEST, 'hex')]);
});

test('Ventrilo: decrypts and reads a reply of one packet', () => {
  assert.deepEqual(statusOf(open().receive(REPLY)), STATUS);
});

test('Ventrilo: reads clients with commas in their names, and leaves out phantoms (second entries of a client)', () => {
  const [reply] = replyOf([...FACTS, ...CLIENTS]);
  assert.ok(reply);
  assert.deepEqual(statusOf(open().receive(reply)), {
    name: 'Guild',
    players: 3,
    maxplayers: 40,
    password: false,
    playerList: [{ name: 'Tuzik, Jr.', time: 2181 }, { name: 'Ann', time: 7 }, { name: 'Bob' }],
  });
});

test('Ventrilo: joins several packets in any order, and ignores duplicates', () => {
  const parts = replyOf([...FACTS, ...Array.from({ length: 40 }, (_, i) => `CLIENT: SEC=${i},NAME=n${i}`)]);
  assert.ok(parts.length > 2);
  for (const order of [parts, parts.toReversed()]) {
    const exchange = open();
    for (const part of order.slice(0, -1)) {
      assert.equal(exchange.receive(part).kind, 'more');
      assert.equal(exchange.receive(part).kind, 'more');
    }
    assert.equal(exchange.partial(), undefined);
    assert.equal(statusOf(exchange.receive(order.at(-1) ?? Buffer.alloc(0))).playerList?.length, 40);
  }
});

test('Ventrilo: rejects a packet that belongs to a different reply than the previous packet', () => {
  const long = `COMMENT: ${'x'.repeat(600)}`;
  const [first = Buffer.alloc(0)] = replyOf([...FACTS, long, 'UPTIME: 1']);
  const [, second = Buffer.alloc(0)] = replyOf([...FACTS, long, 'UPTIME: 3']);
  const exchange = open();
  assert.equal(exchange.receive(first).kind, 'more');
  assert.equal(exchange.receive(second).kind, 'malformed');
});

test('Ventrilo: reads an unencrypted packet, which has 0 as its second byte', () => {
  assert.equal(statusOf(open().receive(plain({}))).name, 'x');
});

test('Ventrilo: encrypts the request even if the random number for the encryption keys is 0', () => {
  assert.equal(ventrilo.transport, 'udp');
  if (ventrilo.transport !== 'udp') return;
  const [request] = ventrilo.open({ ...CONTEXT, nonce: 0n }).request();
  assert.equal(request?.toString('hex', 0, 2), '0001');
  // The first four bytes of the encrypted password in the Ventrilo request. The password is empty, so these bytes would
  // be zeros without the encryption.
  assert.equal(request?.toString('hex', 20, 24), '828c816b');
});

test('Ventrilo: rejects a packet with an invalid packet count, packet number or size', () => {
  for (const header of [
    { parts: 33 },
    { parts: 0 },
    { parts: 2, part: 2 },
    { body: `${FACTS.join('\n')}\n`.padEnd(493) },
    { bytes: 7 },
  ]) {
    assert.equal(open().receive(plain(header)).kind, 'malformed', JSON.stringify(header));
  }
  assert.equal(open().receive(plain({ body: `${FACTS.join('\n')}\n`.padEnd(492) })).kind, 'done');
  assert.equal(open().receive(plain({ parts: 32, part: 31, body: 'x'.repeat(492) })).kind, 'more');
});

test('Ventrilo: ignores a reply that does not repeat the number of the request', () => {
  for (const part of replyOf(FACTS, ID ^ 1)) assert.equal(open().receive(part).kind, 'more');
});

test('Ventrilo: detects a missing, additional or changed byte anywhere in a reply, except for changes of the two command bytes', () => {
  for (let length = 0; length < REPLY.length; length++) {
    assert.equal(open().receive(REPLY.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  assert.equal(open().receive(Buffer.concat([REPLY, Buffer.alloc(1)])).kind, 'malformed');
  for (let at = 0; at < REPLY.length; at++) {
    const changed = Buffer.from(REPLY);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    // Bytes 4 and 5 of a Ventrilo reply are the command in the header. The parser does not check the command, so a
    // changed command is accepted.
    if (at === 4 || at === 5) assert.equal(open().receive(changed).kind, 'done');
    else assert.notEqual(open().receive(changed).kind, 'done', `byte ${at}`);
  }
});

test('Ventrilo: uses the first value if a key occurs twice in the status', () => {
  const [reply] = replyOf([...FACTS, 'NAME: other']);
  assert.equal(statusOf(open().receive(reply ?? Buffer.alloc(0))).name, 'Guild');
});

test('Ventrilo: rejects a status if the client count or the number of slots is missing or invalid', () => {
  for (const lines of [
    ['NAME: no numbers'],
    FACTS.toSpliced(2, 1),
    FACTS.toSpliced(3, 1),
    FACTS.with(2, 'MAXCLIENTS: many'),
    FACTS.with(3, 'CLIENTCOUNT: -1'),
  ]) {
    const [reply] = replyOf(lines);
    assert.ok(reply);
    assert.equal(open().receive(reply).kind, 'malformed', lines.join());
  }
});

interface PlainPart {
  parts?: number;
  part?: number;
  body?: string;
  /** Body size that the header of the Ventrilo packet announces. The default is the real body size. */
  bytes?: number;
}

/** Builds a packet of a Ventrilo reply. The packet is not encrypted. */
function plain({
  parts = 1,
  part = 0,
  body = 'NAME: x\nMAXCLIENTS: 8\nCLIENTCOUNT: 0\n',
  ...said
}: PlainPart) {
  const text = Buffer.from(body);
  const words = [0, 3, ID, text.length, said.bytes ?? text.length, parts, part, 0x0e00, crc(text)];
  return bytes(0x6f, 0, ...words.map(u16be), text);
}

/** Computes the CRC-16 of a Ventrilo reply bit by bit, without the CRC table of gsq, to detect errors in the table. */
function crc(text: Buffer): number {
  let rest = 0;
  for (const byte of text) {
    for (let bit = 0; bit < 8; bit++) rest = ((rest << 1) ^ (rest & 0x8000 ? 0x1021 : 0)) & 0xffff;
    rest ^= byte;
  }
  return rest;
}
