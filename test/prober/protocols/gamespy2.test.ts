import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gamespy2 } from '../../../prober/protocols/gamespy2.ts';
import { bytes, cstring, u16be } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const FACTS_ID = Buffer.from('05060708', 'hex');
const PLAYERS_ID = Buffer.from('05060709', 'hex');
const open = () => openDatagrams(gamespy2);
const strings = (...texts: string[]) => bytes(...texts.map(cstring));

const FACTS = ['hostname', 'Old Mill', 'gamever', '1.1', 'mapname', 'Quarry', 'hostport', '10480'];
const info = (...more: string[]) => bytes(0, FACTS_ID, strings(...FACTS, ...more, ''));
const INFO = info('numplayers', '2', 'maxplayers', '16', 'password', '1');
const STATUS = {
  name: 'Old Mill',
  map: 'Quarry',
  players: 2,
  maxplayers: 16,
  version: '1.1',
  password: true,
  connectPort: 10480,
};

/** Returns an unfinished GameSpy 2 query: it has received the server info, and has requested the player list. */
function openPlayers() {
  const exchange = open();
  exchange.request();
  packetsOf(exchange.receive(INFO));
  return exchange;
}
const players = (...rest: (number | string | Buffer)[]) => bytes(0, PLAYERS_ID, ...rest);
const FIELDS = ['player_', 'score_', 'ping_', ''];
const ROWS = ['Ann', '12', '40', 'Bob', '-3', '55'];
const LIST = [
  { name: 'Ann', score: 12 },
  { name: 'Bob', score: -3 },
];

test('GameSpy 2: requests the server properties, then the player list, and each request has its own number', () => {
  const exchange = open();
  assert.deepEqual(exchange.request(), [Buffer.from('fefd0005060708ff0000', 'hex')]);
  assert.deepEqual(packetsOf(exchange.receive(INFO)), [Buffer.from('fefd000506070900ff00', 'hex')]);
  assert.deepEqual(exchange.partial(), STATUS);
});

test('GameSpy 2: reads the server properties and the player list', () => {
  const reply = players(u16be(2), strings(...FIELDS, ...ROWS));
  assert.deepEqual(statusOf(openPlayers().receive(reply)), { ...STATUS, playerList: LIST });
});

test('GameSpy 2: does not request the player list of an empty server, and ignores data after the server properties', () => {
  const reply = bytes(info('numplayers', '0', 'maxplayers', '16'), 0);
  const status = statusOf(open().receive(reply));
  assert.equal(status.players, 0);
  assert.equal(status.password, undefined);
});

test('GameSpy 2: ignores the list of teams after the player list', () => {
  const reply = players(
    u16be(2),
    strings(...FIELDS, ...ROWS),
    u16be(2),
    strings('team_t', '', 'Red', 'Blue'),
  );
  assert.deepEqual(statusOf(openPlayers().receive(reply)).playerList, LIST);
});

test('GameSpy 2: reads a player list without a player count, as some servers send it', () => {
  for (const tail of ['', '\0', '\0\0\x02team_t\0\0Red\0Blue\0']) {
    const reply = players(0, strings(...FIELDS, ...ROWS), tail);
    assert.deepEqual(statusOf(openPlayers().receive(reply)).playerList, LIST, JSON.stringify(tail));
  }
});

test('GameSpy 2: reads the count byte 90 as a player count, not as the letter Z of a field name', () => {
  const rows = Array.from({ length: 90 }, (_, i) => [`p${i}`, String(i), '40']).flat();
  const { playerList } = statusOf(openPlayers().receive(players(u16be(90), strings(...FIELDS, ...rows))));
  assert.equal(playerList?.length, 90);
  assert.deepEqual(playerList?.[89], { name: 'p89', score: 89 });
});

test('GameSpy 2: if the player list is truncated, reports only the complete players', () => {
  for (const kept of [3, 4, 5]) {
    const reply = players(u16be(2), strings(...FIELDS, ...ROWS.slice(0, kept)));
    assert.deepEqual(statusOf(openPlayers().receive(reply)).playerList, LIST.slice(0, 1));
  }
  assert.deepEqual(statusOf(openPlayers().receive(players(u16be(0), 0))).playerList, []);
});

test('GameSpy 2: removes colour codes from the server name', () => {
  const reply = bytes(
    0,
    FACTS_ID,
    strings('hostname', '\x1b\x40\x41\x42Old \x1b\x01\x01\x01Mill', 'numplayers', '0'),
  );
  const whole = bytes(reply, strings('maxplayers', '4', ''));
  assert.equal(statusOf(open().receive(whole)).name, 'Old Mill');
});

test('GameSpy 2: removes a colour code whose bytes are also valid UTF-8, and decodes the rest of the text as UTF-8', () => {
  const gold = bytes(Buffer.from('1bdaa520', 'hex'), 'Caf\u00e9', 0);
  const counts = strings('numplayers', '1', 'maxplayers', '4', '');
  const exchange = open();
  packetsOf(exchange.receive(bytes(0, FACTS_ID, cstring('hostname'), gold, counts)));
  const status = statusOf(exchange.receive(players(u16be(1), strings('player_', ''), gold)));
  assert.equal(status.name, 'Caf\u00e9');
  assert.deepEqual(status.playerList, [{ name: 'Caf\u00e9' }]);
});

test('GameSpy 2: ignores a reply that does not repeat the number of the request', () => {
  const stranger = bytes(0, 1, 2, 3, 4, INFO.subarray(5));
  assert.equal(open().receive(stranger).kind, 'more');
  assert.equal(openPlayers().receive(INFO).kind, 'more');
});

test('GameSpy 2: rejects a reply with server properties if the reply is truncated at any byte', () => {
  for (let length = 0; length < INFO.length; length++) {
    assert.equal(open().receive(INFO.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
});

test('GameSpy 2: rejects a reply with a wrong type, or without a valid player count and maximum number of players', () => {
  for (const reply of [
    info('numplayers', '2'),
    info('maxplayers', '2'),
    info('numplayers', 'two', 'maxplayers', '16'),
    bytes(9, INFO.subarray(1)),
    bytes(0, FACTS_ID, strings('')),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1'));
  }
});

test('GameSpy 2: reports the status without a player list if the list is malformed', () => {
  const fields = Array.from({ length: 65 }, (_, i) => `field${i}_`);
  for (const reply of [
    players(),
    players(0),
    players(u16be(2), 'player_'),
    players(u16be(2), strings('player_', 'score_')),
    players(u16be(2), strings(...FIELDS, 'Ann', '12', '40'), 'Bo'),
    players(u16be(1025), strings(...FIELDS, ...ROWS)),
    players(u16be(2), strings(...fields, '')),
    Buffer.from('\\status\\'),
  ]) {
    assert.deepEqual(statusOf(openPlayers().receive(reply)), STATUS, reply.toString('latin1').slice(0, 60));
  }
});

test('GameSpy 2: reports an empty player list if the list has no name field', () => {
  const reply = players(u16be(1), strings('score_', '', '12'));
  assert.deepEqual(statusOf(openPlayers().receive(reply)).playerList, []);
});
