import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MuteFollowUps } from '../../../prober/probes/mute-follow-ups.ts';
import { playerReply, sourceInfo } from '../protocols/bytes.ts';
import { payloadOf } from './payload-of.ts';
import { probesOnLoopback, target } from './probes-on-loopback.ts';

const { probes, server } = probesOnLoopback();
const PLAYER_REQUEST = 0x55;
const ADDRESS = 0x7f000001;

function muteAfter(unanswered: number) {
  const clock = { now: 5 };
  const followUps = new MuteFollowUps(() => clock.now);
  for (let i = 0; i < unanswered; i++) followUps.countUnanswered(ADDRESS, 27015);
  return { clock, followUps };
}

test('after ten unanswered follow-up requests in a row, a server gets at most one follow-up request an hour', () => {
  const { clock, followUps } = muteAfter(9);
  assert.equal(followUps.isMute(ADDRESS, 27015), false);
  followUps.countUnanswered(ADDRESS, 27015);
  assert.equal(followUps.isMute(ADDRESS, 27015), true);
  assert.equal(followUps.isMute(ADDRESS, 27016), false);
  assert.equal(followUps.isMute('2001:db8::1', 27015), false);
  clock.now += 60 * 60_000 - 1;
  assert.equal(followUps.isMute(ADDRESS, 27015), true);
  clock.now++;
  assert.equal(followUps.isMute(ADDRESS, 27015), false);
  followUps.countUnanswered(ADDRESS, 27015);
  assert.equal(followUps.isMute(ADDRESS, 27015), true);
});

test('a reply to a follow-up request resets the count of unanswered follow-up requests to 0', () => {
  const { followUps } = muteAfter(9);
  followUps.forget(ADDRESS, 27015);
  for (let i = 0; i < 9; i++) followUps.countUnanswered(ADDRESS, 27015);
  assert.equal(followUps.isMute(ADDRESS, 27015), false);
});

test('the prober stores counts of unanswered follow-up requests for at most 32,768 servers, and then deletes the oldest count', () => {
  const { followUps } = muteAfter(10);
  for (let port = 0; port < 32_767; port++) followUps.countUnanswered(ADDRESS + 1, port);
  assert.equal(followUps.isMute(ADDRESS, 27015), true);
  followUps.countUnanswered(ADDRESS + 2, 1);
  assert.equal(followUps.isMute(ADDRESS, 27015), false);
});

test('the prober stops requesting player names after ten probes if the server never answers this request', {
  timeout: 60_000,
}, async () => {
  const requests: number[] = [];
  const game = await server(() => {});
  game.socket.on('message', (request, from) => {
    requests.push(request[4] ?? 0);
    if (request[4] !== PLAYER_REQUEST)
      game.socket.send(sourceInfo({ name: 'Mute', players: 4 }), from.port, from.address);
  });
  const prober = await probes();
  for (let i = 0; i < 11; i++) {
    const result = await prober.probe(target([game.port], { timeoutMs: 100 }));
    const { packetsSent, packetsLost } = result.signals;
    assert.deepEqual([packetsSent, packetsLost], i < 10 ? [2, 1] : [1, 0]);
    assert.equal(payloadOf(result).players, 4);
  }
  assert.equal(requests.filter(type => type === PLAYER_REQUEST).length, 10);
});

test('the prober continues to request player names if the server answers only every eighth request', {
  timeout: 60_000,
}, async () => {
  let asked = 0;
  const game = await server(() => {});
  game.socket.on('message', (request, from) => {
    if (request[4] !== PLAYER_REQUEST)
      game.socket.send(sourceInfo({ name: 'Busy', players: 1 }), from.port, from.address);
    else if (++asked % 8 === 0)
      game.socket.send(playerReply([{ name: 'Ann', score: 1, time: 1 }]), from.port, from.address);
  });
  const prober = await probes();
  for (let i = 0; i < 16; i++) await prober.probe(target([game.port], { timeoutMs: 100 }));
  assert.equal(asked, 16);
});
