import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { Conversation } from '../../../prober/transport/conversation.ts';
import { leavesErrorQueues, openLinux } from '../../../prober/transport/linux.ts';
import { until } from '../../system/until.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { challengeReply, sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';
import { CLOSED_PORT, closedEndpoint, REFUSED, rejectedQueries } from './rejected-queries.ts';

const { server, online, pool } = rejectedQueries();

describe('a UDP query with a socket error queue', { skip: !(await openLinux())?.errorQueues }, () => {
  for (const address of ['127.0.0.1', '::1']) {
    test(`ends with \`refused\` without waiting for a timeout if the port at ${address} is closed`, async () => {
      const { ask, warnings } = await pool();
      const { answer, counts } = await ask(endpointAt(address, CLOSED_PORT));
      assert.deepEqual(answer, REFUSED);
      assert.deepEqual(counts, { packets: 1, lost: 1, rejected: 1, challenged: false });
      assert.deepEqual(warnings(), []);
    });
  }

  test('continues if an ICMP message rejects a packet to another destination', async () => {
    const { udp, ask, warnings } = await pool();
    const open = await Promise.all(Array.from({ length: 100 }, (_, i) => online(`Server ${i}`)));
    // All queries of the test use the same UDP socket. Therefore a send call for one packet can return the ICMP error
    // of a different packet.
    const asked = open.map(({ endpoint }, i) => [ask(closedEndpoint(i)), ask(endpoint)] as const);
    for (const [i, [closed, answered]] of asked.entries()) {
      assert.deepEqual((await closed).answer, REFUSED);
      const { answer, counts } = await answered;
      assert.ok(answer.kind === 'online' && answer.status.name === `Server ${i}`, JSON.stringify(answer));
      assert.deepEqual([counts.lost, counts.rejected], [0, 0]);
    }
    assert.deepEqual([udp.inFlight, udp.strayDatagrams, warnings()], [0, 0, []]);
  });

  test('ends with `refused` and one lost packet if the server sends a challenge and then closes its port', async () => {
    const { ask } = await pool();
    const closing = await server((socket, from) =>
      socket.send(challengeReply(Buffer.from([1, 2, 3, 4])), from.port, from.address, closing.close),
    );
    const { answer, counts } = await ask(closing.endpoint);
    assert.deepEqual(answer, REFUSED);
    assert.deepEqual(counts, { packets: 2, lost: 1, rejected: 1, challenged: true });
  });

  test('finds the server online even if the server closes its port after it has sent its status', async () => {
    const { ask } = await pool();
    const closing = await server((socket, from) =>
      socket.send(sourceInfo({ players: 3 }), from.port, from.address, closing.close),
    );
    const { answer, counts } = await ask(closing.endpoint);
    assert.ok(answer.kind === 'online' && answer.status.players === 3 && !answer.status.playerList);
    assert.deepEqual(counts, { packets: 2, lost: 1, rejected: 1, challenged: false });
  });

  test('counts all its unanswered packets as lost if an ICMP message rejects one of these packets', async () => {
    const { udp, ask } = await pool();
    const exchange = openDatagrams(a2s);
    exchange.request = () => [Buffer.from('one'), Buffer.from('two')];
    const { answer, counts } = await ask(closedEndpoint(0), { exchange });
    assert.deepEqual(answer, REFUSED);
    assert.deepEqual(counts, { packets: 2, lost: 2, rejected: 1, challenged: false });
    await until(
      'the second reject',
      () => udp.strayDatagrams,
      stray => stray === 1,
    );
  });

  test('finds a server online even after ICMP messages have rejected 1000 packets of earlier queries', async () => {
    const { udp, ask, warnings } = await pool();
    for (let round = 0; round < 4; round++) {
      const all = Array.from({ length: 250 }, (_, i) => ask(closedEndpoint(i)));
      for (const { answer } of await Promise.all(all)) assert.deepEqual(answer, REFUSED);
    }
    assert.deepEqual([udp.inFlight, udp.strayDatagrams, warnings()], [0, 0, []]);
    const last = await online('after them');
    assert.equal((await ask(last.endpoint)).answer.kind, 'online');
  });
});

test('gsq uses the error queues of Linux sockets only if the version of libuv is older than 1.52', () => {
  assert.deepEqual(['1.46.0', '1.51.0', '1.52.0', '1.52.1', '2.0.0'].map(leavesErrorQueues), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('an ICMP rejection is ignored if the UDP query has no unanswered packet', () => {
  const wheel = new TimerWheel(() => 1000);
  const admitted = unlimitedProbe(wheel);
  const conversation = new Conversation({
    endpoint: closedEndpoint(0),
    exchange: openDatagrams(a2s),
    admitted,
    socket: { send: () => {} },
    wheel,
    listening: { listen: () => true, forget: () => {} },
  });
  const error = Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const answers: Answer[] = [];
  assert.equal(conversation.reject(error), false);
  conversation.ask(2000, answer => answers.push(answer));
  conversation.receive(challengeReply(Buffer.from([1, 2, 3, 4])));
  assert.equal(conversation.reject(error), true);
  assert.equal(conversation.reject(error), false);
  assert.deepEqual(answers, [REFUSED]);
  assert.deepEqual([admitted.packets, admitted.lost, admitted.rejected], [2, 1, 1]);
});
