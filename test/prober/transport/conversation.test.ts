import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, NO_ROOM } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { Conversation } from '../../../prober/transport/conversation.ts';
import { endpointAt } from '../endpoint-at.ts';
import { admittedOf, open } from '../politeness/opened-politeness.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';

/**
 * Starts an A2S query to an address with a rate limit of one packet per second. `packetsBefore`: number of packets
 * already sent to this address.
 */
function started(packetsBefore: number) {
  const { clock, politeness, enter } = open({ packetsAnAddress: 1 });
  const endpoint = endpointAt('192.0.2.1', 27015);
  const admitted = admittedOf(enter(endpoint.address, endpoint.port));
  for (let i = 0; i < packetsBefore; i++) assert.ok(admitted.reservePacket());
  const conversation = new Conversation({
    endpoint,
    exchange: openDatagrams(a2s),
    admitted,
    socket: { send: () => {} },
    wheel: clock.wheel,
    listening: { listen: () => true, forget: () => {} },
  });
  const answers: Answer[] = [];
  conversation.ask(2000, answer => answers.push(answer));
  return { conversation, politeness, admitted, answers };
}

test('a UDP query reports the status without a player list if the rate limits forbid the packet that requests the list', () => {
  const { conversation, politeness, admitted, answers } = started(0);
  conversation.receive(sourceInfo({ players: 2 }));
  assert.equal(answers.length, 0);
  // Closes the rate limiter. This drops the waiting packet, as if the packet had waited too long.
  politeness.close();
  const [answer] = answers;
  assert.ok(answer?.kind === 'online', JSON.stringify(answers));
  assert.equal(answer.status.players, 2);
  assert.equal(answer.status.playerList, undefined);
  assert.deepEqual([admitted.packets, admitted.lost], [1, 0]);
});

test('a UDP query ends with `fault` (local error) if the rate limits do not even allow its first packet', () => {
  const { politeness, answers } = started(1);
  assert.equal(answers.length, 0);
  politeness.close();
  assert.deepEqual(answers, [NO_ROOM]);
});
