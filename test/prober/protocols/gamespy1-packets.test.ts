import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf } from './exchange.ts';
import { COUNTS, FACTS, latin1, openGamespy1 as open } from './gamespy1-replies.ts';

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

test('GameSpy 1: the request is the text `\\status\\`', () => {
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

test('GameSpy 1: accepts the end marker `final` before, after or without the packet number, and before a zero byte', () => {
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

test('GameSpy 1: collects the packets of at most two different replies, and ignores the packets of a third reply', () => {
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

test('GameSpy 1: reports no status if a required server property is missing because a packet was lost', () => {
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

test('GameSpy 1: reads no status from a truncated reply, except if only the last byte (a backslash) is missing', () => {
  const reply = latin1(`${FACTS}${COUNTS}${RULES}${ANN}${BOB}\\queryid\\20.1\\final\\`);
  // Length of the GameSpy 1 reply without the end marker `\final\`.
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
