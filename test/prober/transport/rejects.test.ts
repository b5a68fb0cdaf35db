import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, Socket } from 'node:dgram';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { Conversation } from '../../../prober/transport/conversation.ts';
import type { DatagramEndpoint } from '../../../prober/transport/datagram-socket.ts';
import { type Linux, leavesErrorQueues, openLinux } from '../../../prober/transport/linux.ts';
import { UdpPool } from '../../../prober/transport/udp-pool.ts';
import { until } from '../../system/until.ts';
import { fastClock } from '../clock.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { challengeReply, sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';

/** Port on which no process listens, because the system never assigns it. */
const CLOSED_PORT = 9;
const REFUSED: Answer = { kind: 'refused', detail: 'ECONNREFUSED' };

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** Starts a fake game server on loopback. */
async function server(
  answer: (socket: Socket, from: RemoteInfo, datagram: Buffer) => void,
  address = '127.0.0.1',
) {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  let closed = false;
  const close = () => {
    if (!closed) socket.close();
    closed = true;
  };
  cleanups.push(close);
  socket.on('message', (datagram, from) => answer(socket, from, datagram));
  return { close, endpoint: endpointAt('127.0.0.1', socket.address().port) };
}

const online = (name: string) =>
  server((socket, from) => socket.send(sourceInfo({ name }), from.port, from.address));

/** Opens a UDP pool. Unless a `wheel` is passed, the time never advances, so that no timeout ends a query. */
async function pool({
  openSystem = openLinux,
  sockets = 1,
  wheel = new TimerWheel(() => 1000),
}: {
  openSystem?: () => Promise<Linux | undefined>;
  sockets?: number;
  wheel?: TimerWheel;
} = {}) {
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const udp = await UdpPool.open({ sockets, receiveBuffer: 64 * 1024, wheel, openSystem, warn });
  cleanups.push(() => udp.close());
  const ask = async (
    endpoint: DatagramEndpoint,
    { confirm = false, exchange = openDatagrams(a2s), admitted = unlimitedProbe(wheel) } = {},
  ) => {
    const asker = udp.converse(endpoint, exchange, admitted, confirm);
    const answer = await new Promise<Answer>(resolve => asker.ask(2000, resolve));
    const { packets, lost, rejected, challenged } = admitted;
    return { answer, counts: { packets, lost, rejected, challenged } };
  };
  return { udp, ask, warnings: () => warnings.filter(text => !text.includes('receive buffers')) };
}

/** Returns a closed port at loopback address number i. */
const closedEndpoint = (i: number) => endpointAt(`127.77.${i >> 8}.${i & 255}`, CLOSED_PORT);

describe('UDP queries on sockets with an error queue', { skip: !(await openLinux())?.errorQueues }, () => {
  for (const address of ['127.0.0.1', '::1']) {
    test(`a query to a closed port of ${address} ends with \`refused\` without waiting for a timeout`, async () => {
      const { ask, warnings } = await pool();
      const { answer, counts } = await ask(endpointAt(address, CLOSED_PORT));
      assert.deepEqual(answer, REFUSED);
      assert.deepEqual(counts, { packets: 1, lost: 1, rejected: 1, challenged: false });
      assert.deepEqual(warnings(), []);
    });
  }

  test('an ICMP message that rejects a packet ends only the query to the destination of the packet', async () => {
    const { udp, ask, warnings } = await pool();
    const open = await Promise.all(Array.from({ length: 100 }, (_, i) => online(`Server ${i}`)));
    // All queries use the same socket, so the error of one packet can appear while another packet is sent.
    const asked = open.map(({ endpoint }, i) => [ask(closedEndpoint(i)), ask(endpoint)] as const);
    for (const [i, [closed, answered]] of asked.entries()) {
      assert.deepEqual((await closed).answer, REFUSED);
      const { answer, counts } = await answered;
      assert.ok(answer.kind === 'online' && answer.status.name === `Server ${i}`, JSON.stringify(answer));
      assert.deepEqual([counts.lost, counts.rejected], [0, 0]);
    }
    assert.deepEqual([udp.inFlight, udp.strayDatagrams, warnings()], [0, 0, []]);
  });

  test('if a server answers once and then closes its port, only the second packet counts as lost', async () => {
    const { ask } = await pool();
    const closing = await server((socket, from) =>
      socket.send(challengeReply(Buffer.from([1, 2, 3, 4])), from.port, from.address, closing.close),
    );
    const { answer, counts } = await ask(closing.endpoint);
    assert.deepEqual(answer, REFUSED);
    assert.deepEqual(counts, { packets: 2, lost: 1, rejected: 1, challenged: true });
  });

  test('a server that closes its port after its first reply is online with the status in this reply', async () => {
    const { ask } = await pool();
    const closing = await server((socket, from) =>
      socket.send(sourceInfo({ players: 3 }), from.port, from.address, closing.close),
    );
    const { answer, counts } = await ask(closing.endpoint);
    assert.ok(answer.kind === 'online' && answer.status.players === 3 && !answer.status.playerList);
    assert.deepEqual(counts, { packets: 2, lost: 1, rejected: 1, challenged: false });
  });

  test('all unanswered packets of a query count as lost after an ICMP message rejects one of them', async () => {
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

  test('after ICMP messages rejected a thousand packets, no query is open and new queries work', async () => {
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

const kinds: [string, () => Promise<Linux | undefined>][] = [
  ['UDP queries on sockets of Node.js', async () => undefined],
  ['UDP queries on batched sockets without an error queue', () => openLinux(false)],
];
for (const [name, openSystem] of kinds)
  describe(name, () => {
    for (const address of ['127.0.0.1', '::1']) {
      test(`a query with \`confirm\` to a closed port of ${address} ends with \`refused\``, async () => {
        const { udp, ask, warnings } = await pool({ openSystem });
        const { answer, counts } = await ask(endpointAt(address, CLOSED_PORT), { confirm: true });
        assert.deepEqual(answer, REFUSED);
        assert.deepEqual(counts, { packets: 1, lost: 1, rejected: 1, challenged: false });
        assert.deepEqual([udp.inFlight, warnings()], [0, []]);
      });
    }

    test('a query without `confirm` to a closed port ends with `silent`', async () => {
      const clock = fastClock();
      cleanups.push(clock.stop);
      const { ask } = await pool({ openSystem, wheel: clock.wheel });
      const { answer, counts } = await ask(closedEndpoint(0));
      assert.deepEqual(answer, { kind: 'silent', detail: 'no reply' });
      assert.deepEqual([counts.lost, counts.rejected], [1, 0]);
    });

    test('a query with `confirm` gets the answer of a running server, and closes its socket afterwards', async () => {
      const { ask } = await pool({ openSystem });
      const { endpoint } = await online('here');
      const before = openSockets();
      const { answer } = await ask(endpoint, { confirm: true });
      assert.ok(answer.kind === 'online' && answer.status.name === 'here', JSON.stringify(answer));
      await until('the socket closed', openSockets, count => count === before);
    });

    test('a datagram from another sender is ignored if it arrives before the socket is connected', async t => {
      const { udp, ask } = await pool({ openSystem });
      const { endpoint } = await online('here');
      const stranger = createSocket('udp4');
      cleanups.push(() => stranger.close());
      const { connect } = Socket.prototype;
      t.mock.method(Socket.prototype, 'connect', function (this: Socket, port: number, ...more: unknown[]) {
        const connectNow = () => Reflect.apply(connect, this, [port, ...more]);
        // Connects only after the other sender has sent its datagram. On loopback the kernel delivers it before `send`
        // returns.
        this.bind(0, '127.0.0.1', () =>
          stranger.send(sourceInfo({ name: 'stranger' }), this.address().port, '127.0.0.1', connectNow),
        );
      });
      const { answer } = await ask(endpoint, { confirm: true });
      assert.ok(answer.kind === 'online' && answer.status.name === 'here', JSON.stringify(answer));
      assert.equal(udp.strayDatagrams, 1);
    });

    test('a query whose packet cannot be sent ends with a local fault', async () => {
      const { ask } = await pool({ openSystem });
      for (const endpoint of [endpointAt('127.0.0.1', 70_000), endpointAt('255.255.255.255', CLOSED_PORT)]) {
        const { answer } = await ask(endpoint, { confirm: true });
        assert.ok(
          answer.kind === 'fault' && answer.detail.startsWith('cannot send: '),
          JSON.stringify(answer),
        );
      }
    });

    test('at most 256 connected sockets are open, and further queries with `confirm` use shared sockets', async () => {
      const { udp, ask } = await pool({ openSystem });
      const askers = new Set<number>();
      let heard = 0;
      const { endpoint } = await server((_socket, { port }) => {
        heard++;
        askers.add(port);
      }, '0.0.0.0');
      const before = openSockets();
      const asked: ReturnType<typeof ask>[] = [];
      while (asked.length < 300) {
        const address = `127.77.${asked.length >> 8}.${asked.length & 255}`;
        asked.push(ask(endpointAt(address, endpoint.port), { confirm: true }));
        // Waits after each 100 queries, so that the receive buffer of the server does not overflow.
        if (asked.length % 100 === 0)
          await until(
            'the questions',
            () => heard,
            count => count === asked.length,
          );
      }
      assert.equal(askers.size, 256 + 1);
      await udp.close();
      for (const { answer } of await Promise.all(asked))
        assert.deepEqual(answer, { kind: 'fault', detail: 'closed' });
      await until('its sockets closed', openSockets, count => count < before);
    });
  });

test('error queues are used only with versions of libuv before 1.52', () => {
  assert.deepEqual(['1.46.0', '1.51.0', '1.52.0', '1.52.1', '2.0.0'].map(leavesErrorQueues), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('a conversation ignores an ICMP message that rejects a packet if all of its packets are answered', () => {
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

/** Returns the number of open UDP sockets of this process. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'UDPWrap').length;
}
