import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gamespy3 } from '../../../prober/protocols/gamespy3.ts';
import { bytes, cstring, u16be } from './bytes.ts';
import { openDatagrams, statusOf } from './exchange.ts';
import {
  challenge,
  FACTS,
  ID,
  LAST,
  LIST,
  NAMES,
  ONE,
  openGamespy3 as open,
  part,
  RULES,
  SCORES,
  STATUS,
  strings,
  TEAMS,
} from './gamespy3-replies.ts';

test('GameSpy 3: joins packets in any order, even if a packet ends inside a value that the next packet repeats', () => {
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

test('GameSpy 3: joins two packets if the first one ends after a key or a value of the server properties', () => {
  const whole = [...FACTS, 'password', '1'].map(cstring);
  for (let cut = 0; cut <= whole.length; cut++) {
    // If the first packet of a GameSpy 3 reply ends with a key, the second packet repeats this key before its value.
    const rest = whole.slice(cut % 2 ? cut - 1 : cut);
    const exchange = open();
    assert.equal(exchange.receive(part(0, 0, ...whole.slice(0, cut))).kind, 'more');
    const status = statusOf(exchange.receive(part(1 | LAST, 0, ...rest, 0)));
    assert.deepEqual(status, { ...STATUS, playerList: [] }, `cut behind ${cut}`);
  }
});

test('GameSpy 3: reads a reply in the format of GameSpy 2, which has no packet numbers', () => {
  const rows = strings('player_', 'score_', '', ' Ann', '90', 'UN Bob', '-4', 'Eve', '0');
  const unsplit = bytes(0, ID, RULES.subarray(1), u16be(3), rows);
  assert.deepEqual(statusOf(open().receive(unsplit)), { ...STATUS, playerList: LIST });
  const facts = bytes(0, ID, RULES.subarray(1));
  assert.deepEqual(statusOf(open().receive(facts)), { ...STATUS, playerList: [] });
});

test('GameSpy 3: rejects truncated server properties, and reads only the complete values of a truncated player list', () => {
  const body = bytes(RULES, 1, NAMES, SCORES, 0, 2);
  for (let length = 0; length < body.length; length++) {
    const step = open().receive(part(LAST, body.subarray(0, length)));
    assert.equal(step.kind, length < RULES.length ? 'malformed' : 'done', `cut at ${length}`);
    if (step.kind !== 'done') continue;
    const { playerList = [], ...facts } = step.status;
    assert.deepEqual(facts, STATUS, `cut at ${length}`);
    for (const [i, { name, score }] of playerList.entries()) {
      assert.equal(name, LIST[i]?.name, `cut at ${length}`);
      assert.ok(score === undefined || score === LIST[i]?.score, `cut at ${length}`);
    }
  }
  for (let length = 0; length < 15; length++) {
    assert.equal(open().receive(ONE.subarray(0, length)).kind, 'malformed', `cut at ${length}`);
  }
  const cut = challenge('9513307');
  for (let length = 0; length < cut.length; length++) {
    assert.equal(openDatagrams(gamespy3).receive(cut.subarray(0, length)).kind, 'malformed');
  }
});

test('GameSpy 3: reports all names and scores if the list of pings after them is truncated', () => {
  const truncated = [
    bytes(cstring('ping_'), 0, strings('76', '80', '91', ''), cstring('te')),
    cstring('ping_'),
  ];
  for (const end of [...truncated, bytes('pi'), bytes(cstring('ping_'), 0, cstring('76'), '8')]) {
    const status = statusOf(open().receive(part(LAST, RULES, 1, NAMES, SCORES, end)));
    assert.deepEqual(status, { ...STATUS, playerList: LIST }, end.toString('latin1'));
  }
});

test('GameSpy 3: drops the last value of a truncated reply, because only a part of the value may have arrived', () => {
  const scores = bytes(cstring('score_'), 0, strings('90', '-'));
  const one = statusOf(open().receive(part(LAST, RULES, 1, NAMES, scores)));
  assert.deepEqual(one.playerList, [{ name: ' Ann', score: 90 }, { name: 'UN Bob' }, { name: 'Eve' }]);

  const exchange = open();
  const names = bytes(cstring('player_'), 0, strings(' Ann', 'UN Bob'));
  exchange.receive(part(0, RULES, 1, names));
  const two = statusOf(exchange.receive(part(1 | LAST, 1, cstring('player_'), 2)));
  assert.deepEqual(two.playerList, [{ name: ' Ann' }, { name: 'UN Bob' }]);
});

test('GameSpy 3: if a packet ends within a list, reads the rest of the list from the next packet', () => {
  const exchange = open();
  exchange.receive(part(0, RULES, 1, NAMES, cstring('score_'), 0, cstring('90'), '-'));
  const rest = bytes(1, cstring('score_'), 1, strings('-4', '0', ''), 0, TEAMS);
  assert.deepEqual(statusOf(exchange.receive(part(1 | LAST, rest))), { ...STATUS, playerList: LIST });
});

test('GameSpy 3: rejects a reply with a truncated list if the reply contains no player count', () => {
  const facts = bytes(0, strings('hostname', 'x', 'maxplayers', '8', ''));
  assert.equal(statusOf(open().receive(part(LAST, facts, 1, NAMES))).players, 3);
  assert.equal(open().receive(part(LAST, facts, 1, NAMES, cstring('te'))).kind, 'malformed');
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
