import assert from 'node:assert/strict';
import { test } from 'node:test';
import { murmur } from '../../../prober/protocols/murmur.ts';
import { openStream, statusOf } from './exchange.ts';

const SERVER = {
  id: 1,
  name: 'Voices & more',
  x_connecturl: 'mumble://voice.example/?version=1.2.0',
  x_gtmurmur_connectport: '64739',
  x_gtmurmur_max_users: '250',
  x_gtmurmur_server_version: '1.2.8',
  root: {
    name: 'Root',
    users: [{ name: 'Ann', onlinesecs: 23441, udpPing: 51.19 }],
    channels: [
      { name: 'A', users: [], channels: [{ name: 'B', users: [{ name: '}"\\' }], channels: [] }] },
      { name: 'C', users: [{ name: 'Zoë', onlinesecs: '5' }], channels: [] },
    ],
  },
};
const STATUS = {
  name: 'Voices & more',
  players: 3,
  maxplayers: 250,
  version: '1.2.8',
  connectPort: 64739,
  playerList: [{ name: 'Ann', time: 23441 }, { name: '}"\\' }, { name: 'Zoë' }],
};
const EMPTY = { users: [], channels: [] };

const open = () => openStream(murmur);
const reply = (value: unknown) => Buffer.from(JSON.stringify(value));
const read = (value: unknown) => open().receive(reply(value));

test('GTmurmur: the request is the word `json`', () => {
  assert.deepEqual(open().request(), [Buffer.from('6a736f6e', 'hex')]);
});

test('GTmurmur: reads the users of all channels in chunks of any size', () => {
  const bytes = Buffer.from(JSON.stringify(SERVER, undefined, '\t'));
  assert.deepEqual(statusOf(open().receive(bytes)), STATUS);
  for (const size of [1, 2, 3, 7, 100]) {
    const exchange = open();
    let last = exchange.receive(Buffer.alloc(0));
    for (let at = 0; at < bytes.length; at += size) {
      assert.equal(last.kind, 'more', `in pieces of ${size}, at ${at}`);
      last = exchange.receive(bytes.subarray(at, at + size));
    }
    assert.deepEqual(statusOf(last), STATUS, `in pieces of ${size}`);
  }
});

test('GTmurmur: reports no status while the reply is incomplete', () => {
  const bytes = reply(SERVER);
  for (let length = 0; length < bytes.length; length++) {
    const exchange = open();
    assert.equal(exchange.receive(bytes.subarray(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('GTmurmur: leaves out the maximum number of users, the version and the join port if the reply does not contain them', () => {
  assert.deepEqual(statusOf(read({ root: EMPTY })), { name: '', players: 0, playerList: [] });
  const numbers = statusOf(read({ x_gtmurmur_max_users: 9, x_gtmurmur_connectport: 65535, root: EMPTY }));
  assert.deepEqual([numbers.maxplayers, numbers.connectPort], [9, 65535]);
});

test('GTmurmur: rejects a document in which a field is missing or invalid', () => {
  const channel = (value: unknown) => ({ ...SERVER, root: { ...EMPTY, channels: [value] } });
  const user = (value: unknown) => ({ ...SERVER, root: { ...EMPTY, users: [value] } });
  for (const value of [
    [],
    {},
    { error: 'no such server' },
    { ...SERVER, root: null },
    { ...SERVER, root: [] },
    { ...SERVER, root: { users: [] } },
    { ...SERVER, root: { channels: [] } },
    { ...SERVER, root: { users: {}, channels: [] } },
    channel(null),
    channel('A'),
    channel({ users: [] }),
    channel({ users: 1, channels: [] }),
    user(null),
    user([]),
    user({}),
    user({ name: 7 }),
    { ...SERVER, name: 7 },
    { ...SERVER, x_gtmurmur_server_version: 1.2 },
    ...['', '-1', '1e3', '25O', 2.5, -1, 1e10, true, [5]].map(x_gtmurmur_max_users => ({
      ...SERVER,
      x_gtmurmur_max_users,
    })),
    ...['0', 0, 65536, '', null].map(x_gtmurmur_connectport => ({ ...SERVER, x_gtmurmur_connectport })),
  ]) {
    assert.equal(read(value).kind, 'malformed', JSON.stringify(value));
  }
});

test('GTmurmur: rejects the greeting of another service', () => {
  for (const greeting of ['HTTP/1.1 400 Bad Request\r\n', 'SSH-2.0-x\r\n', 'TS3\n\r', '\x16\x03\x01']) {
    assert.equal(open().receive(Buffer.from(greeting)).kind, 'malformed', greeting);
  }
});

test('GTmurmur: reads channels that are nested 60 levels deep, and rejects much deeper nesting', () => {
  assert.equal(open().receive(Buffer.from('{"channels":['.repeat(15_000))).kind, 'malformed');
  assert.equal(open().receive(Buffer.from('['.repeat(200_000))).kind, 'malformed');
  let nested: object = EMPTY;
  for (let i = 0; i < 60; i++) nested = { users: [{ name: 'deep' }], channels: [nested] };
  assert.equal(statusOf(read({ root: nested })).players, 60);
});

test('GTmurmur: counts all users, lists at most 1024 of them, and rejects a document of more than 256 KiB', () => {
  const users = (count: number) =>
    read({ root: { users: Array.from({ length: count }, () => ({ name: 'x' })), channels: [] } });
  const status = statusOf(users(5000));
  assert.deepEqual([status.players, status.playerList?.length], [5000, 1024]);
  assert.deepEqual(users(30_000), { kind: 'malformed', reason: 'more than 262144 bytes' });
});
