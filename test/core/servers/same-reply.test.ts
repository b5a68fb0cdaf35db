import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderData } from '../../../core/render/payload.ts';
import { isSameReply } from '../../../core/servers/same-reply.ts';
import { payloadOf } from '../payload-of.ts';

const at = Date.UTC(2026, 0, 1);
type Change = Parameters<typeof payloadOf>[0];

function same(before: Change, after: Change): boolean {
  const data = renderData(payloadOf(before), '1.2.3.4:1', at);
  return isSameReply(payloadOf(after), data, renderData(payloadOf(after), '1.2.3.4:1', at + 60_000));
}

test('a reply whose players have not been on for longer is the same, whatever its ping', () => {
  assert.equal(same({}, {}), true);
  assert.equal(same({}, { ping: 99 }), true);
});

test('anything else that changed makes another', () => {
  const list = (time: number, score = 0) => [{ name: 'Ann', score, time }];
  assert.equal(same({ playerList: list(61) }, { playerList: list(121) }), false);
  assert.equal(same({ playerList: list(61) }, { playerList: list(61, 1) }), false);
  for (const change of [{ name: 'x' }, { map: 'x' }, { players: 4 }, { maxplayers: 17 }, { version: '2' }]) {
    assert.equal(same({}, change), false, JSON.stringify(change));
  }
});

test('without times of players nothing can be told', () => {
  for (const playerList of [[], [{ name: 'Ann', score: 1, time: 0 }]]) {
    assert.equal(same({ playerList }, { playerList }), false);
  }
});

test('a name that looks like a field deceives nobody', () => {
  const playerList = (name: string, time: number) => [{ name, score: 0, time }];
  assert.equal(same({ name: '"ping":' }, { name: '"ping":x' }), false);
  const name = '},"raw":{"players":[]}';
  assert.equal(same({ playerList: playerList(name, 60) }, { playerList: playerList(name, 120) }), false);
  assert.equal(same({ playerList: playerList(name, 60) }, { playerList: playerList(name, 60) }), true);
});
