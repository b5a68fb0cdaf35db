import assert from 'node:assert/strict';
import { test } from 'node:test';
import { a2s, goldsrc } from '../../../prober/protocols/a2s.ts';
import { MORE, type Protocol } from '../../../prober/protocols/protocol.ts';
import type { FleetServer, Responder } from '../../fleet/responder.ts';
import { responder as sourceServer } from '../../fleet/responders/a2s.ts';
import { responder as goldsrcServer } from '../../fleet/responders/goldsrc.ts';
import { ANN, CHALLENGE, hex, INFO, openA2s as open } from './a2s-exchange.ts';
import { bytes, challengeReply, goldsrcInfo, MESSAGE, playerReply, sourceInfo, u64 } from './bytes.ts';
import { openDatagrams, packetsOf, statusOf } from './exchange.ts';

const BOB = { name: 'Böb', score: -3, time: 7 };

test('A2S: the first request is the A2S_INFO request of 25 bytes, without padding', () => {
  assert.deepEqual(hex(openDatagrams(a2s).request()), [INFO]);
});

test('A2S: repeats the challenge of the server in the requests for info and players', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), [`${INFO}0a0b0c0d`]);
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('A2S: repeats the request for the player list if the server demands a challenge only for this request', () => {
  const exchange = open();
  assert.deepEqual(hex(packetsOf(exchange.receive(sourceInfo({ players: 2 })))), ['ffffffff55ffffffff']);
  assert.deepEqual(hex(packetsOf(exchange.receive(challengeReply(CHALLENGE)))), ['ffffffff550a0b0c0d']);
  assert.deepEqual(statusOf(exchange.receive(playerReply([ANN, BOB]))).playerList, [ANN, BOB]);
});

test('A2S: sends at most three packets, even if the server demands a challenge for each request', () => {
  const challenging = open();
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  packetsOf(challenging.receive(challengeReply(CHALLENGE)));
  assert.equal(challenging.receive(challengeReply(CHALLENGE)).kind, 'malformed');

  const choosy = open();
  packetsOf(choosy.receive(challengeReply(CHALLENGE)));
  packetsOf(choosy.receive(sourceInfo({ players: 1 })));
  const status = statusOf(choosy.receive(challengeReply(CHALLENGE)));
  assert.equal(status.players, 1);
  assert.equal(status.playerList, undefined);
});

test('A2S: the property `challenged` of a query becomes true when the server demands a challenge', () => {
  const exchange = open();
  assert.equal(exchange.challenged, false);
  exchange.receive(sourceInfo({ players: 1 }));
  assert.equal(exchange.challenged, false);
  exchange.receive(challengeReply(Buffer.alloc(4)));
  assert.equal(exchange.challenged, true);
});

test('A2S: sends the words `details` and `players` to request info and players from an old GoldSrc server, which does not use Steam', () => {
  const exchange = openDatagrams(goldsrc);
  const details = [MESSAGE, Buffer.from('details\0')];
  assert.deepEqual(exchange.request(), [bytes(...details)]);
  const questions = packetsOf(exchange.receive(goldsrcInfo(2)));
  assert.deepEqual(questions, [bytes(MESSAGE, 'players', 0)]);
  const status = statusOf(exchange.receive(playerReply([ANN, BOB])));
  assert.deepEqual([status.name, status.playerList], ['Old iron', [ANN, BOB]]);
});

test('A2S: reports a status without a player list if the list is missing or malformed', () => {
  const silent = open();
  silent.receive(sourceInfo({ players: 5 }));
  assert.equal(silent.partial()?.players, 5);
  for (const reply of [
    playerReply([ANN]).subarray(0, 5),
    bytes(playerReply([ANN]), 0),
    Buffer.from('junk'),
  ]) {
    const exchange = open();
    exchange.receive(sourceInfo({ players: 5 }));
    const status = statusOf(exchange.receive(reply));
    assert.equal(status.players, 5);
    assert.equal(status.playerList, undefined);
  }
});

test('A2S: if a player list contains fewer players than announced, reports only the complete players', () => {
  const listOf = (reply: Buffer, info = sourceInfo({ players: 5 })) => {
    const exchange = open();
    exchange.receive(info);
    const { players, playerList } = statusOf(exchange.receive(reply));
    assert.equal(players, 5);
    return playerList;
  };
  const counting = (count: number, reply: Buffer) => bytes(reply.subarray(0, 5), count, reply.subarray(6));
  const two = playerReply([ANN, BOB]);
  assert.deepEqual(listOf(counting(5, two)), [ANN, BOB]);
  assert.deepEqual(listOf(counting(5, playerReply([]))), []);
  const one = playerReply([ANN]);
  for (let length = one.length; length < two.length; length++)
    assert.deepEqual(listOf(two.subarray(0, length)), [ANN], `cut at ${length}`);
  assert.equal(listOf(counting(1, two)), undefined, 'bytes of a player who is not in the count');
});

test('A2S: reports no player list for the game The Ship if the list contains fewer players than announced', () => {
  const whole = playerReply([ANN, BOB], Buffer.alloc(16));
  for (const [count, list] of [
    [2, [ANN, BOB]],
    [3, undefined],
  ] as const) {
    const exchange = open();
    exchange.receive(sourceInfo({ appId: 2400, players: 3, ship: bytes(1, 1, 1) }));
    const reply = bytes(whole.subarray(0, 5), count, whole.subarray(6));
    assert.deepEqual(statusOf(exchange.receive(reply)).playerList, list);
  }
});

test('A2S: ignores a second A2S_INFO reply, and also a player list that arrives before the A2S_INFO reply', () => {
  const exchange = open();
  assert.equal(exchange.receive(playerReply([ANN])).kind, 'more');
  exchange.receive(sourceInfo({ players: 1 }));
  assert.equal(exchange.receive(sourceInfo({ players: 9 })).kind, 'more');
  assert.equal(exchange.partial()?.players, 1);
});

test('A2S: removes the false player "Max Players", which a Counter-Strike server lists if it hides its players', () => {
  const standIn = { name: 'Max Players', score: 64, time: 0 };
  const listOf = (info: Buffer) => {
    const exchange = open();
    exchange.receive(info);
    return statusOf(exchange.receive(playerReply([standIn]))).playerList;
  };
  assert.deepEqual(listOf(sourceInfo({ appId: 730, players: 1 })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 0, players: 1, extra: bytes(0x01, u64(730n)) })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 730, players: 1, extra: bytes(0x01, u64(0n)) })), []);
  assert.deepEqual(listOf(sourceInfo({ appId: 240, players: 1 })), [standIn]);
});

/** Queries a fake server until the query ends. Returns the status, and whether the server has demanded a challenge. */
function converse(protocol: Protocol, responder: Responder, server: FleetServer) {
  const exchange = openDatagrams(protocol);
  let packets = exchange.request();
  for (;;) {
    const replies = packets.flatMap(packet =>
      responder.transport === 'udp' ? responder.respond(server, packet) : [],
    );
    const step = replies.map(reply => exchange.receive(reply)).at(-1) ?? MORE;
    if (step.kind !== 'send') return { status: statusOf(step), challenged: exchange.challenged };
    packets = step.packets;
  }
}

test('A2S: reads the server properties and all players of fake servers with 0, 1 and 250 players', () => {
  for (const count of [0, 1, 250]) {
    const players = Array.from({ length: count }, (_, i) => ({
      name: `Player ${i}`,
      score: i - 9,
      time: i * 7,
    }));
    const server = {
      name: 'Ä',
      map: 'de_nuke',
      maxplayers: 250,
      password: true,
      version: '1.2',
      players,
      port: 27066,
    };
    const said = { name: 'Ä', map: 'de_nuke', players: count, maxplayers: 250, password: true, numbots: 0 };
    const list = count > 0 ? { playerList: players } : {};
    assert.deepEqual(converse(a2s, sourceServer, server), {
      status: { ...said, version: '1.2', connectPort: 27066, ...list },
      challenged: true,
    });
    assert.deepEqual(converse(goldsrc, goldsrcServer, server), {
      status: { ...said, ...list },
      challenged: false,
    });
  }
});
