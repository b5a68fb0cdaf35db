import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gamespy1 } from '../../../prober/protocols/gamespy1.ts';
import { openDatagrams, statusOf } from './exchange.ts';

const open = () => openDatagrams(gamespy1);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

const FACTS = '\\gamename\\ut\\gamever\\451\\hostname\\Dusty Attic\\hostport\\7777\\mapname\\DM-Fractal';
const COUNTS = '\\numplayers\\2\\maxplayers\\16';
const RULES = '\\password\\False\\timelimit\\15';
const ANN = '\\player_0\\Ann\\frags_0\\12\\ping_0\\ 48\\team_0\\255';
const BOB = '\\player_1\\Bob\\frags_1\\-3\\ping_1\\ 90\\team_1\\0';

const STATUS = {
  name: 'Dusty Attic',
  map: 'DM-Fractal',
  players: 2,
  maxplayers: 16,
  version: '451',
  password: false,
  connectPort: 7777,
};
const LIST = [
  { name: 'Ann', score: 12 },
  { name: 'Bob', score: -3 },
];
const PARTS = [
  latin1(`${FACTS}${COUNTS}${RULES}\\queryid\\20.1`),
  latin1(`${ANN}\\queryid\\20.2`),
  latin1(`${BOB}\\queryid\\20.3\\final\\`),
];

test('GameSpy 1: the request is \\status\\', () => {
  assert.deepEqual(open().request(), [Buffer.from('\\status\\')]);
});

test('GameSpy 1: reads a reply of several packets in any order, and ignores duplicates', () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 1, 0, 0, 2],
    [2, 0, 2, 1],
  ]) {
    const exchange = open();
    const steps = order.map(i => exchange.receive(PARTS[i] ?? Buffer.alloc(0)));
    assert.deepEqual(
      steps.slice(0, -1).map(step => step.kind),
      order.slice(1).map(() => 'more'),
    );
    assert.deepEqual(statusOf(steps.at(-1) ?? { kind: 'more' }), { ...STATUS, playerList: LIST });
  }
});

test('GameSpy 1: accepts `final` before or after the packet number or without a number, and zeros at the end', () => {
  const content = `${FACTS}${COUNTS}${RULES}${ANN}${BOB}`;
  for (const ending of [
    '\\final\\\\queryid\\7.1',
    '\\queryid\\7.1\\final\\',
    '\\queryid\\7.1\\final',
    '\\queryid\\7.1\\final\\\\',
    '\\final\\',
    '\\final\\\\queryid\\7',
    '\\queryid\\7\\final\\',
    '\\final\\\0',
  ]) {
    const status = statusOf(open().receive(latin1(content + ending)));
    assert.deepEqual(status, { ...STATUS, playerList: LIST }, ending);
  }
});

test('GameSpy 1: does not mix the packets of two replies', () => {
  const exchange = open();
  const [first, second, third] = PARTS.map(part => latin1(part.toString('latin1').replace('Bob', 'Eve')));
  assert.ok(first && second && third && PARTS[0] && PARTS[1] && PARTS[2]);
  const renamed = (part: Buffer) => latin1(part.toString('latin1').replace('\\20.', '\\21.'));
  assert.equal(exchange.receive(PARTS[0]).kind, 'more');
  assert.equal(exchange.receive(renamed(second)).kind, 'more');
  assert.equal(exchange.receive(PARTS[2]).kind, 'more');
  assert.equal(exchange.receive(renamed(third)).kind, 'more');
  const status = statusOf(exchange.receive(renamed(first)));
  assert.equal(status.playerList?.[1]?.name, 'Eve');
});

test('GameSpy 1: ignores the packets of a third reply while two replies are incomplete', () => {
  const exchange = open();
  for (const id of [1, 2]) assert.equal(exchange.receive(latin1(`${ANN}\\queryid\\${id}.2`)).kind, 'more');
  assert.equal(exchange.receive(latin1(`${FACTS}${COUNTS}\\queryid\\3.1\\final\\`)).kind, 'more');
});

test('GameSpy 1: reports a status without players if the last packet of the reply is missing', () => {
  const exchange = open();
  assert.equal(exchange.partial(), undefined);
  assert.ok(PARTS[0] && PARTS[1]);
  exchange.receive(PARTS[1]);
  assert.equal(exchange.partial(), undefined);
  exchange.receive(PARTS[0]);
  assert.deepEqual(exchange.partial(), STATUS);
});

test('GameSpy 1: reports no status if the replies are incomplete and facts of the server are missing', () => {
  const lacking = [
    `${FACTS}${COUNTS}`,
    `${FACTS}${RULES}`,
    `\\hostname\\x${COUNTS}${RULES}`,
    `\\mapname\\x${COUNTS}${RULES}`,
  ];
  for (const facts of lacking) {
    const exchange = open();
    assert.equal(exchange.receive(latin1(`${facts}\\queryid\\20.1`)).kind, 'more');
    assert.equal(exchange.partial(), undefined, facts);
  }
});

test('GameSpy 1: reads players, scores, versions and passwords under every key that games use', () => {
  const read = (text: string) => statusOf(open().receive(latin1(`${text}\\final\\`)));
  const players = [
    '\\playername_0\\Ann\\kills_0\\9\\score_0\\7\\deaths_0\\1',
    '\\player_3\\Bob\\kills_3\\4',
    '\\playername_5\\Eve',
    '\\teamname_0\\axis\\score_t0\\99\\team_t1\\allies',
  ];
  const status = read(`\\hostname\\a\\version\\v1.6\\maxplayers\\8${players.join('')}`);
  assert.equal(status.version, 'v1.6');
  assert.equal(status.players, 3);
  assert.deepEqual(status.playerList, [
    { name: 'Ann', score: 7 },
    { name: 'Bob', score: 4 },
    { name: 'Eve' },
  ]);
  const passwords = ['0', '', 'False', 'no', '1', 'True', 'yes'].map(
    password => read(`${COUNTS}\\password\\${password}\\x\\y`).password,
  );
  assert.deepEqual(passwords, [false, false, false, false, true, true, true]);
});

test('GameSpy 1: does not read the score of a team as the score of a player', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\Ann\\score_t0\\99\\final\\`;
  assert.deepEqual(statusOf(open().receive(latin1(text))).playerList, [{ name: 'Ann' }]);
});

test('GameSpy 1: reads keys in upper and lower case, uses the first of two counts, and leaves out an invalid port', () => {
  for (const port of ['70000', '0x1e61', '7e3', '-5', '0', '']) {
    const text = `\\HostName\\a\\NumPlayers\\010\\MaxPlayers\\14\\numplayers\\9\\hostport\\${port}\\final\\`;
    const status = statusOf(open().receive(latin1(text)));
    assert.deepEqual(status, { name: 'a', players: 10, maxplayers: 14, playerList: [] }, port);
  }
});

test('GameSpy 1: leaves out a score that is not a number, and ignores the fraction of a score', () => {
  const scores = ['12', ' -3', '4.50', '0x10', 'none', '1e3'];
  const players = scores.map((score, i) => `\\player_${i}\\${i}\\score_${i}\\${score}`).join('');
  const { playerList } = statusOf(open().receive(latin1(`${FACTS}${COUNTS}${players}\\final\\`)));
  assert.deepEqual(
    playerList?.map(({ score }) => score),
    [12, -3, 4, undefined, undefined, undefined],
  );
});

test('GameSpy 1: decodes each text as UTF-8 or Latin-1, and removes colours', () => {
  const text =
    '\\hostname\\\x1b\xf8\x01@R\xe9d\x1b\x01\x02\x03 one\\mapname\\\xc3\xa9\\numplayers\\0\\maxplayers\\4\\final\\';
  const status = statusOf(open().receive(latin1(text)));
  assert.deepEqual([status.name, status.map], ['R\u00e9d one', '\u00e9']);
});

test('GameSpy 1: reads a player name that contains a backslash', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\A\\nn\\frags_0\\12\\player_1\\Bob\\frags_1\\-3`;
  const status = statusOf(open().receive(latin1(`${text}\\queryid\\1.1\\final\\`)));
  assert.deepEqual(status.playerList, [
    { name: 'A\\nn', score: 12 },
    { name: 'Bob', score: -3 },
  ]);
});

test('GameSpy 1: reads player names that look like keys, and facts after the players', () => {
  const text = '\\player_0\\Ann\\player_1\\b_2\\maxplayers\\8\\mapname\\c_3\\final\\';
  const status = statusOf(open().receive(latin1(text)));
  assert.deepEqual(status.playerList, [{ name: 'Ann' }, { name: 'b_2' }]);
  assert.deepEqual([status.maxplayers, status.map], [8, 'c_3']);
});

test('GameSpy 1: a player name that contains a backslash and a key cannot overwrite a fact of the server', () => {
  const text = `${FACTS}${COUNTS}\\player_0\\x\\numplayers\\0\\queryid\\1.1\\final\\`;
  assert.equal(statusOf(open().receive(latin1(text))).players, 2);
});

test('GameSpy 1: a truncated reply never gives an incomplete status', () => {
  const reply = latin1(`${FACTS}${COUNTS}${RULES}${ANN}${BOB}\\queryid\\20.1\\final\\`);
  // Length of the reply without the word `final` at its end.
  const numbered = reply.length - '\\final\\'.length;
  const kinds = new Map([
    [numbered, 'more'],
    [numbered + 1, 'more'],
    [reply.length - 1, 'done'],
  ]);
  for (let length = 0; length < reply.length; length++) {
    const exchange = open();
    const step = exchange.receive(reply.subarray(0, length));
    assert.equal(step.kind, kinds.get(length) ?? 'malformed', `cut at ${length}`);
    if (step.kind === 'done') assert.deepEqual(step.status, { ...STATUS, playerList: LIST });
    if (step.kind === 'malformed') assert.equal(exchange.partial(), undefined);
  }
});

test('GameSpy 1: rejects replies without valid counts, with invalid packet numbers, or with too many players or bytes', () => {
  const many = Array.from({ length: 1025 }, (_, i) => `\\player_${i}\\x`).join('');
  for (const text of [
    'hostname',
    '\\final\\',
    '\\\\final\\',
    `${FACTS}\\numplayers\\2\\final\\`,
    `${FACTS}\\numplayers\\-1\\maxplayers\\2\\final\\`,
    `${FACTS}\\numplayers\\two\\maxplayers\\2\\final\\`,
    `${FACTS}\\numplayers\\1\\maxplayers\\\\final\\`,
    `${FACTS}${COUNTS}\\queryid\\1.33`,
    `${FACTS}${COUNTS}\\queryid\\1.0`,
    `${FACTS}${COUNTS}\\queryid\\1`,
    `${FACTS}${COUNTS}${many}\\final\\`,
    `${FACTS}${COUNTS}\\x\\${'y'.repeat(70_000)}\\final\\`,
  ]) {
    assert.equal(open().receive(latin1(text)).kind, 'malformed', text.slice(-60));
  }
  const exchange = open();
  const part = (number: number) => latin1(`\\x\\${'y'.repeat(30_000)}\\queryid\\1.${number}`);
  assert.deepEqual(
    [1, 2, 3].map(part).map(datagram => exchange.receive(datagram).kind),
    ['more', 'more', 'malformed'],
  );
});
