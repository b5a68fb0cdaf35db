import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ase } from '../../../prober/protocols/ase.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const open = () => openDatagrams(ase);
const text = (value: string) => bytes(Buffer.byteLength(value) + 1, value);
const texts = (...values: string[]) => bytes(...values.map(text));

const HEAD = ['mta', '22003', 'Los Sant\u00f3s', 'race', 'Freeway', '1.6', '1', '2', '32'];
const reply = (...rest: Buffer[]) => bytes('EYE1', texts(...HEAD), ...rest);
const END = text('');
const ANN = bytes(0x3f, texts('Ann', 'red', 'skin', '12', '48', '90'));
const BOB = bytes(0x3f, texts('B\u00f6b', '', '', '', '51', ''));
const STATUS = {
  name: 'Los Sant\u00f3s',
  map: 'Freeway',
  version: '1.6',
  password: true,
  players: 2,
  maxplayers: 32,
  connectPort: 22003,
};

test('All-Seeing Eye: the request is the letter `s`', () => {
  assert.deepEqual(open().request(), [Buffer.from('s')]);
});

test('All-Seeing Eye: reads the server properties, skips the rules, and reads the player list after the rules', () => {
  const status = statusOf(open().receive(reply(texts('weather', '12', 'fps', '60'), END, ANN, BOB)));
  assert.deepEqual(status, {
    ...STATUS,
    playerList: [{ name: 'Ann', score: 12, time: 90 }, { name: 'B\u00f6b' }],
  });
});

test('All-Seeing Eye: reports a password only if the password field is 1', () => {
  for (const [field, password] of [
    ['1', true],
    ['0', false],
    ['', false],
  ] as const) {
    const head = HEAD.map((value, i) => (i === 6 ? field : value));
    const status = statusOf(open().receive(bytes('EYE1', texts(...head), END)));
    assert.equal(status.password, password, JSON.stringify(field));
  }
});

test('All-Seeing Eye: reads only those fields of a player that the flags of the player announce', () => {
  const status = statusOf(
    open().receive(
      reply(
        END,
        bytes(0x01, text('Ann')),
        bytes(0x09, texts('Bob', '-4')),
        bytes(0x31, texts('Eve', '48', '7')),
        bytes(0x29, texts('Hex', '0x10', '12:34')),
        bytes(0x06, texts('red', 'skin')),
      ),
    ),
  );
  assert.deepEqual(status.playerList, [
    { name: 'Ann' },
    { name: 'Bob', score: -4 },
    { name: 'Eve', time: 7 },
    { name: 'Hex' },
    { name: '' },
  ]);
});

test('All-Seeing Eye: reads an empty server with Latin-1 text, and leaves out an invalid join port', () => {
  for (const port of ['none', '', '1e3', '65536', '-1']) {
    const head = ['farcry', port, 'R\u00e9d', 'mode', 'map', '1', '0', '0', '8'];
    const lines = head.map(value => bytes(value.length + 1, Buffer.from(value, 'latin1')));
    const status = statusOf(open().receive(bytes('EYE1', ...lines, END)));
    assert.deepEqual(status, {
      name: 'R\u00e9d',
      map: 'map',
      version: '1',
      password: false,
      players: 0,
      maxplayers: 8,
      playerList: [],
    });
  }
});

test('All-Seeing Eye: rejects a truncated reply, except if it ends after a complete player or after the rules', () => {
  const whole = reply(texts('weather', '12'), END, ANN, BOB);
  const between = [whole.length - BOB.length, whole.length - BOB.length - ANN.length];
  for (let length = 0; length < whole.length; length++) {
    const step = open().receive(whole.subarray(0, length));
    assert.equal(step.kind, between.includes(length) ? 'done' : 'malformed', `cut at ${length}`);
  }
});

test('All-Seeing Eye: rejects a reply with a wrong header, invalid counts, unknown player flags, or too many players', () => {
  const head = (...changed: [number, string][]) =>
    bytes('EYE1', texts(...Object.assign([...HEAD], Object.fromEntries(changed))), END);
  for (const datagram of [
    bytes('EYE2', texts(...HEAD), END),
    head([7, 'two']),
    head([7, '-1']),
    head([8, '']),
    head([8, '1e3']),
    reply(END, bytes(0x40, text('Ann'))),
    reply(END, bytes(0x80)),
    reply(bytes(0)),
    reply(END, Buffer.alloc(1025)),
    Buffer.alloc(0),
  ]) {
    assert.equal(open().receive(datagram).kind, 'malformed', datagram.toString('latin1').slice(0, 80));
  }
});
