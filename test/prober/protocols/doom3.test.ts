import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doom3 } from '../../../prober/protocols/doom3.ts';
import { bytes, cstring, i32, u16 } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const HEADER = bytes(0xff, 0xff, cstring('infoResponse'));
const NUMBER = Buffer.from('01020304', 'hex');
const NUMBER_OF_EIGHT = Buffer.from('0102030405060708', 'hex');
const END = bytes(32, i32(7));
const INFO = {
  si_version: 'DOOM 1.3.1',
  si_maxPlayers: '8',
  si_usepass: '1',
  si_map: 'game/mp/d3dm1',
  si_name: '^1Hell',
  gamename: 'baseDOOM-1',
};

const open = () => openDatagrams(doom3);
const version = (major: number, minor: number) => i32((major << 16) | minor);
const fields = (info: Record<string, string>) =>
  bytes(...Object.entries(info).flatMap(([key, value]) => [cstring(key), cstring(value)]), 0, 0);
const reply = (players: Buffer, info: Record<string, string> = INFO, major = 1) =>
  bytes(HEADER, NUMBER, version(major, 41), fields(info), players);
/** Builds a player entry of a Doom 3 reply: number, ping and data rate, then the fields in `behind`. */
const client = (number: number, ...behind: Buffer[]) => bytes(number, u16(48), i32(16000), ...behind);
const clientOfQuakeWars = (number: number, name: string, isBot: number) =>
  bytes(number, u16(48), cstring(name), 1, cstring('[clan]'), isBot);

test('Doom 3: the request contains the word `getInfo` and the nonce', () => {
  const question = bytes(0xff, 0xff, cstring('getInfo'), NUMBER_OF_EIGHT, 0);
  assert.deepEqual(open().request(), [question]);
});

test('Doom 3: reads the server settings and the players in the reply of the original game', () => {
  const players = bytes(client(0, cstring('Ann')), client(5, cstring('')), END);
  assert.deepEqual(statusOf(open().receive(reply(players))), {
    name: '^1Hell',
    map: 'game/mp/d3dm1',
    players: 2,
    maxplayers: 8,
    numbots: 0,
    password: true,
    version: 'DOOM 1.3.1',
    playerList: [{ name: 'Ann' }, { name: '' }],
  });
});

test('Doom 3: reads the reply of a Quake 4 server, which puts the clan after the player name', () => {
  const info = { si_maxPlayers: '16', si_name: 'Strogg', si_map: 'maps/mp/q4dm1', si_needPass: '0' };
  // The clan of the first player in the reply begins with a space (byte 32). Byte 32 also marks the end of the player
  // list, so a parser that expects no clan would stop there.
  const players = bytes(
    client(1, cstring('Ann'), cstring(' A')),
    client(2, cstring('Bob'), cstring('')),
    END,
  );
  const status = statusOf(open().receive(reply(players, info, 2)));
  assert.deepEqual(status, {
    name: 'Strogg',
    map: 'mp/q4dm1',
    players: 2,
    maxplayers: 16,
    numbots: 0,
    password: false,
    version: '2.41',
    playerList: [{ name: 'Ann' }, { name: 'Bob' }],
  });
  // Sets the highest bit of the version number in the reply. This bit is a flag, and the parser must ignore it.
  const marked = bytes(HEADER, NUMBER, Buffer.from('29000280', 'hex'), fields(info), players);
  assert.deepEqual(statusOf(open().receive(marked)), status);
});

test('Doom 3: tries several player list layouts, and uses the layout that ends exactly at the end of the reply', () => {
  const wolfenstein = bytes(client(3, cstring('Ann'), bytes(0), cstring('clan'), bytes(1)), END);
  const prey = bytes(client(3, cstring('Ann')), END);
  const withClan = bytes(
    client(3, cstring('Ann'), cstring(' clan')),
    client(4, cstring('Bob'), cstring('')),
    END,
  );
  const read = (players: Buffer) => statusOf(open().receive(reply(players, INFO, 9)));
  assert.deepEqual([read(wolfenstein).playerList, read(wolfenstein).numbots], [[{ name: 'Ann' }], 1]);
  assert.deepEqual([read(prey).playerList, read(prey).numbots], [[{ name: 'Ann' }], 0]);
  assert.equal(read(withClan).players, 2);
});

test('Doom 3: reads the reply of a Quake Wars server, which has its own layout, and rejects a truncated reply', () => {
  const info = { ...INFO, gamename: 'baseETQW-1', si_map: 'maps/valley.entities', si_version: 'ETQW 1.5' };
  const players = bytes(clientOfQuakeWars(0, 'Ann', 0), clientOfQuakeWars(1, 'Strogg', 1), END);
  const more = bytes(1, i32(60000), 3, 0, 2);
  const body = bytes(fields(info), players, more);
  const whole = bytes(HEADER, NUMBER_OF_EIGHT, version(10, 22), i32(body.length), body);
  const status = statusOf(open().receive(whole));
  assert.deepEqual(
    [status.players, status.numbots, status.map, status.version],
    [2, 1, 'valley', 'ETQW 1.5'],
  );
  assert.deepEqual(status.playerList, [{ name: 'Ann' }, { name: 'Strogg' }]);
  const cut = whole.length - more.length;
  for (let length = 0; length < cut; length++)
    assert.equal(open().receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
});

test('Doom 3: recognises a Quake Wars server by its version if a mod has changed the game name', () => {
  const info = { ...INFO, gamename: 'bbamod', si_version: 'ETQW 1.5.12642.33243  win-x86' };
  const players = bytes(clientOfQuakeWars(4, 'Ann', 0), clientOfQuakeWars(9, 'Bot', 1), END);
  const body = bytes(fields(info), players, bytes(1, i32(60000), 3, 0, 2));
  const whole = bytes(HEADER, NUMBER_OF_EIGHT, version(10, 22), i32(body.length), body);
  const { playerList, numbots } = statusOf(open().receive(whole));
  assert.deepEqual([playerList, numbots], [[{ name: 'Ann' }, { name: 'Bot' }], 1]);
});

test('Doom 3: ignores a print message, and a reply that does not repeat the nonce of the request', () => {
  const other = reply(END);
  other.writeUInt8(9, HEADER.length + 3);
  assert.equal(open().receive(other).kind, 'more');
  assert.equal(open().receive(bytes(0xff, 0xff, cstring('print'), i32(0))).kind, 'more');
});

test('Doom 3: rejects a reply that is truncated at any byte', () => {
  const whole = reply(bytes(client(0, cstring('Ann')), client(1, cstring('Bob')), END));
  for (let length = 0; length < whole.length; length++)
    assert.equal(open().receive(whole.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
});

test('Doom 3: rejects a reply with a wrong header, no valid maximum number of players, too many fields, or invalid players', () => {
  const many = Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`key${i}`, '']));
  for (const datagram of [
    reply(END, { si_name: 'no places' }),
    reply(END, { ...INFO, si_maxPlayers: 'x' }),
    reply(END, { ...INFO, ...many }),
    reply(END, { ...INFO, long: 'x'.repeat(17000) }),
    reply(bytes(client(1, cstring('Ann')), client(1, cstring('Bob')), END)),
    reply(bytes(client(33, cstring('Ann')), END)),
    reply(bytes(client(0, cstring('Ann')), 32, 1, 2, 3)),
    bytes(0xfe, 0xff, cstring('infoResponse')),
    Buffer.alloc(40),
  ]) {
    assert.equal(open().receive(datagram).kind, 'malformed', datagram.toString('latin1', 0, 60));
  }
});
