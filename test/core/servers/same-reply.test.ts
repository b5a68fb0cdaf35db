import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameReply } from '../../../core/servers/same-reply.ts';
import { payloadOf } from '../payload-of.ts';

type Change = Parameters<typeof payloadOf>[0];

function same(before: Change, after: Change): boolean {
  return isSameReply(payloadOf(after), payloadOf(before).data());
}

test('a reply counts as unchanged if it differs from the previous reply only in ping and join address', () => {
  assert.equal(same({}, {}), true);
  for (const [before, after] of [
    [{ ping: 27 }, { ping: 99_999 }],
    [{ ping: 0 }, { ping: 300 }],
    [{ connect: '' }, { connect: '1.2.3.4:27016' }],
    [
      { ping: 5, connect: '' },
      { ping: 0, connect: '1.2.3.4:27016' },
    ],
  ]) {
    assert.equal(same(before, after), true, JSON.stringify([before, after]));
    assert.equal(same(after, before), true, JSON.stringify([after, before]));
  }
});

test('a reply counts as changed if it differs from the previous reply in a field other than ping and join address', () => {
  const list = (time: number, score = 0) => [{ name: 'Ann', score, time }];
  assert.equal(same({ playerList: list(61) }, { playerList: list(121) }), false);
  assert.equal(same({ playerList: list(61) }, { playerList: list(61, 1) }), false);
  for (const change of [
    { name: 'x' },
    { map: 'x' },
    { players: 4 },
    { maxplayers: 17 },
    { version: '2' },
    { version: '' },
  ]) {
    assert.equal(same({}, change), false, JSON.stringify(change));
    assert.equal(same(change, {}), false, JSON.stringify(change));
  }
});

test('a reply without play times of players always counts as changed', () => {
  for (const playerList of [[], [{ name: 'Ann', score: 1, time: 0 }]]) {
    assert.equal(same({ playerList }, { playerList }), false);
  }
});

test('the first reply of a server counts as changed, because there is no earlier reply', () => {
  assert.equal(isSameReply(payloadOf(), Buffer.alloc(0)), false);
});

test('two replies are compared correctly even if a server or player name looks like encoded protobuf fields', () => {
  // The text `name` contains bytes that look like the encoded protobuf fields `ping`, `connect` and `player`. The
  // comparison of two replies must treat these bytes as text.
  const name = '\u0040\u0001\u004a\u0001\u005a\u0001';
  const playerList = (time: number) => [{ name, score: 0, time }];
  assert.equal(same({ name }, { name: `${name}x` }), false);
  assert.equal(same({ playerList: playerList(60) }, { playerList: playerList(120) }), false);
  assert.equal(same({ playerList: playerList(60) }, { playerList: playerList(60) }), true);
});
