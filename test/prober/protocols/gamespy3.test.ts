import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gamespy3 } from '../../../prober/protocols/gamespy3.ts';
import { bytes, cstring, u16be } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const ID = Buffer.from('05060708', 'hex');
const strings = (...texts: string[]) => bytes(...texts.map(cstring));
const challenge = (text: string) => bytes(9, ID, cstring(text));
const part = (number: number, ...rest: (number | string | Buffer)[]) =>
  bytes(0, ID, cstring('splitnum'), number, ...rest);
const LAST = 0x80;

/** Returns an exchange that has received a challenge and sent its query. */
function open() {
  const exchange = openDatagrams(gamespy3);
  exchange.request();
  packetsOf(exchange.receive(challenge('7')));
  return exchange;
}

const COUNTS = ['numplayers', '3', 'maxplayers', '64'];
const FACTS = [
  'hostname',
  'Gulf Watch',
  'gamever',
  '1.5',
  'mapname',
  'Karkand',
  ...COUNTS,
  'hostport',
  '16567',
];
const STATUS = {
  name: 'Gulf Watch',
  map: 'Karkand',
  players: 3,
  maxplayers: 64,
  version: '1.5',
  password: true,
  connectPort: 16567,
};
const LIST = [
  { name: ' Ann', score: 90 },
  { name: 'UN Bob', score: -4 },
  { name: 'Eve', score: 0 },
];
const RULES = bytes(0, strings(...FACTS, 'password', '1', ''));
const NAMES = bytes(cstring('player_'), 0, strings(' Ann', 'UN Bob', 'Eve', ''));
const SCORES = bytes(cstring('score_'), 0, strings('90', '-4', '0', ''));
const TEAMS = bytes(2, cstring('team_t'), 0, strings('MEC', 'US', ''), 0);
const ONE = part(LAST, RULES, 1, NAMES, SCORES, 0, TEAMS);

test('GameSpy 3: requests a challenge, then sends one query with the challenge, and ignores a second challenge', () => {
  const exchange = openDatagrams(gamespy3);
  assert.deepEqual(exchange.request(), [Buffer.from('fefd0905060708', 'hex')]);
  const query = [Buffer.from('fefd0005060708ffc56a34ffffff01', 'hex')];
  assert.deepEqual(packetsOf(exchange.receive(challenge('-3839436'))), query);
  assert.equal(exchange.receive(challenge('1')).kind, 'more');
});

test('GameSpy 3: sends a query without a challenge if the challenge is empty or 0', () => {
  for (const text of ['0', '']) {
    const exchange = openDatagrams(gamespy3);
    const packets = packetsOf(exchange.receive(challenge(text)));
    assert.deepEqual(packets, [Buffer.from('fefd0005060708ffffff01', 'hex')]);
    assert.equal(exchange.receive(challenge('5')).kind, 'more');
  }
});

test('GameSpy 3: accepts the largest and the smallest challenge, with trailing zero bytes', () => {
  const repeated = (text: string) => {
    const [packet] = packetsOf(openDatagrams(gamespy3).receive(bytes(challenge(text), 0, 0)));
    return packet?.toString('hex', 7, 11);
  };
  assert.deepEqual(['4294967295', '-2147483648', '1'].map(repeated), ['ffffffff', '80000000', '00000001']);
});

test('GameSpy 3: reads facts and players from one packet', () => {
  assert.deepEqual(statusOf(open().receive(ONE)), { ...STATUS, playerList: LIST });
});

test('GameSpy 3: accepts a complete status instead of a challenge', () => {
  const exchange = openDatagrams(gamespy3);
  exchange.request();
  assert.deepEqual(statusOf(exchange.receive(ONE)), { ...STATUS, playerList: LIST });
});

test('GameSpy 3: reads packets in any order, and reads a truncated value from the next packet', () => {
  const parts = [
    part(0, 0, strings(...FACTS, 'pass')),
    part(1, 0, strings('password', '1', ''), 1, cstring('player_'), 0, strings(' Ann', 'UN B')),
    part(2, 1, cstring('player_'), 1, strings('UN Bob', 'Eve', ''), cstring('score_')),
    part(3 | LAST, 1, SCORES, 0, TEAMS),
  ];
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 1, 3, 0, 3, 2],
  ]) {
    const exchange = open();
    const steps = order.map(i => exchange.receive(parts[i] ?? Buffer.alloc(0)));
    assert.deepEqual(
      steps.slice(0, -1).map(step => step.kind),
      order.slice(1).map(() => 'more'),
    );
    assert.deepEqual(statusOf(steps.at(-1) ?? { kind: 'more' }), { ...STATUS, playerList: LIST });
  }
});

test('GameSpy 3: reads the facts if the first packet ends after any key or value', () => {
  const whole = [...FACTS, 'password', '1'].map(cstring);
  for (let cut = 0; cut <= whole.length; cut++) {
    // If the first packet ends with a key without a value, the next packet begins with that key again.
    const rest = whole.slice(cut % 2 ? cut - 1 : cut);
    const exchange = open();
    assert.equal(exchange.receive(part(0, 0, ...whole.slice(0, cut))).kind, 'more');
    const status = statusOf(exchange.receive(part(1 | LAST, 0, ...rest, 0)));
    assert.deepEqual(status, { ...STATUS, playerList: [] }, `cut behind ${cut}`);
  }
});

test('GameSpy 3: reads the reply of Minecraft, whose sections have no end mark, and an empty server', () => {
  const rules = strings(
    'hostname',
    'A world',
    'version',
    '1.8',
    'map',
    'world',
    'numplayers',
    '2',
    'maxplayers',
    '75',
    '',
  );
  const names = (...list: string[]) => bytes(1, cstring('player_'), 0, strings(...list, ''));
  const status = statusOf(open().receive(part(LAST, 0, rules, names('Ann', 'Bob'))));
  assert.deepEqual(status, {
    name: 'A world',
    map: 'world',
    players: 2,
    maxplayers: 75,
    version: '1.8',
    playerList: [{ name: 'Ann' }, { name: 'Bob' }],
  });
  assert.deepEqual(statusOf(open().receive(part(LAST, 0, rules, names()))).playerList, []);
});

test('GameSpy 3: counts the bots if the server marks players as bots', () => {
  const bots = bytes(cstring('AIBot_'), 0, strings('0', '1', '1', ''));
  const status = statusOf(open().receive(part(LAST, RULES, 1, NAMES, bots, 0, TEAMS)));
  assert.equal(status.numbots, 2);
});

test('GameSpy 3: accepts sections without lists, and trailing zero bytes', () => {
  const empty = bytes(0, strings('hostname', 'x', 'maxplayers', '18', ''));
  for (const tail of ['', '\x01\0\x02\0', '\0', '\0\0']) {
    const status = statusOf(open().receive(part(LAST, empty, tail)));
    assert.deepEqual(status, { name: 'x', players: 0, maxplayers: 18, playerList: [] }, JSON.stringify(tail));
  }
});

test('GameSpy 3: reads name, map and password from numbered settings of Unreal Tournament 3, also if values are missing', () => {
  const settings = ['p268435705', 'p1073741825', 'DM-Deck', 'p1073741827', 'The Deck', 's7', '1'];
  const rules = strings(
    'hostname',
    'Owner',
    ...settings,
    'mapname',
    'a,b',
    'numplayers',
    '0',
    'maxplayers',
    '8',
    '',
  );
  const { name, map, password } = statusOf(open().receive(part(LAST, 0, rules)));
  assert.deepEqual([name, map, password], ['The Deck', 'DM-Deck', true]);
});

test('GameSpy 3: uses `hostname` as the server name of Unreal Tournament 3 if the name setting is empty', () => {
  const rules = [
    'hostname',
    'Beer and Rockets',
    'p1073741827',
    '',
    'p1073741825',
    'DM-Deck',
    'numplayers',
    '1',
  ];
  const status = statusOf(open().receive(part(LAST, 0, strings(...rules, 'maxplayers', '12', ''))));
  assert.deepEqual([status.name, status.map], ['Beer and Rockets', 'DM-Deck']);
});

test('GameSpy 3: reads a reply without packet numbers, which has the format of GameSpy 2', () => {
  const rows = strings('player_', 'score_', '', ' Ann', '90', 'UN Bob', '-4', 'Eve', '0');
  const unsplit = bytes(0, ID, RULES.subarray(1), u16be(3), rows);
  assert.deepEqual(statusOf(open().receive(unsplit)), { ...STATUS, playerList: LIST });
  const facts = bytes(0, ID, RULES.subarray(1));
  assert.deepEqual(statusOf(open().receive(facts)), { ...STATUS, playerList: [] });
});

test('GameSpy 3: ignores a reply that does not repeat the number of the request', () => {
  for (const reply of [ONE, challenge('5')]) {
    const stranger = bytes(reply.subarray(0, 1), 1, 2, 3, 4, reply.subarray(5));
    assert.equal(openDatagrams(gamespy3).receive(stranger).kind, 'more');
  }
});

test('GameSpy 3: rejects a truncated reply, except if it ends after the facts or between two lists', () => {
  const players = RULES.length + 1;
  const ends = [0, 1, 1 + NAMES.length, 1 + NAMES.length + SCORES.length];
  const whole = new Set([...ends, ...[1, 2].map(more => (ends[3] ?? 0) + more)].map(at => players - 1 + at));
  const body = bytes(RULES, 1, NAMES, SCORES, 0, 2);
  for (let length = 0; length < body.length; length++) {
    const step = open().receive(part(LAST, body.subarray(0, length)));
    assert.equal(step.kind, whole.has(length) ? 'done' : 'malformed', `cut at ${length}`);
    if (step.kind === 'done') assert.equal(step.status.players, 3);
  }
  for (let length = 0; length < 15; length++) {
    assert.equal(open().receive(ONE.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  const cut = challenge('9513307');
  for (let length = 0; length < cut.length; length++) {
    assert.equal(openDatagrams(gamespy3).receive(cut.subarray(0, length)).kind, 'malformed');
  }
});

test('GameSpy 3: rejects invalid challenges, invalid or missing counts, and too many players, packets or bytes', () => {
  for (const text of ['seven', '12345678901', '4294967296', '-2147483649', '1.5', '0x10']) {
    assert.equal(openDatagrams(gamespy3).receive(challenge(text)).kind, 'malformed', text);
  }
  const crowd = bytes(cstring('player_'), 0, strings(...Array.from({ length: 1025 }, () => 'x'), ''));
  for (const reply of [
    part(LAST, 0, strings('hostname', 'x', '')),
    part(LAST, 0, strings('numplayers', '1', '')),
    part(LAST, 0, strings('numplayers', 'one', 'maxplayers', '8', '')),
    part(LAST, RULES, 1, crowd),
    part(32, RULES),
    part(LAST, RULES, Buffer.alloc(70_000)),
    bytes(1, ID, ONE.subarray(5)),
    bytes(0, ID),
  ]) {
    assert.equal(open().receive(reply).kind, 'malformed', reply.toString('latin1').slice(0, 60));
  }
  const exchange = open();
  const long = [0, 1, 2].map(number => exchange.receive(part(number, Buffer.alloc(30_000, 'x'))).kind);
  assert.deepEqual(long, ['more', 'more', 'malformed']);
});
