import assert from 'node:assert/strict';
import { createSocket, Socket } from 'node:dgram';
import { describe, test } from 'node:test';
import { type Linux, openLinux } from '../../../prober/transport/linux.ts';
import { until } from '../../system/until.ts';
import { fastClock } from '../clock.ts';
import { BROADCAST, endpointAt } from '../endpoint-at.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { CLOSED_PORT, closedEndpoint, REFUSED, rejectedQueries } from './rejected-queries.ts';

const { cleanups, server, online, pool } = rejectedQueries();

const kinds: [string, () => Promise<Linux | undefined>][] = [
  ['UDP queries on sockets of Node.js', async () => undefined],
  ['UDP queries on sockets that send in batches and have no error queue', () => openLinux(false)],
];
for (const [name, openSystem] of kinds)
  describe(name, () => {
    for (const address of ['127.0.0.1', '::1']) {
      test(`the retry of a failed UDP query ends with \`refused\` if the server port at ${address} is closed`, async () => {
        const { udp, ask, warnings } = await pool({ openSystem });
        const { answer, counts } = await ask(endpointAt(address, CLOSED_PORT), { confirm: true });
        assert.deepEqual(answer, REFUSED);
        assert.deepEqual(counts, { packets: 1, lost: 1, rejected: 1, challenged: false });
        assert.deepEqual([udp.inFlight, warnings()], [0, []]);
      });
    }

    test('the first UDP query to a closed port ends with `silent` (no reply), because only the socket of a retry receives ICMP errors', async () => {
      const clock = fastClock();
      cleanups.push(clock.stop);
      const { ask } = await pool({ openSystem, wheel: clock.wheel });
      const { answer, counts } = await ask(closedEndpoint(0));
      assert.deepEqual(answer, { kind: 'silent', detail: 'no reply' });
      assert.deepEqual([counts.lost, counts.rejected], [1, 0]);
    });

    test('the retry of a UDP query reports a running server as online, and then closes its own socket', async () => {
      const { ask } = await pool({ openSystem });
      const { endpoint } = await online('here');
      const before = openSockets();
      const { answer } = await ask(endpoint, { confirm: true });
      assert.ok(answer.kind === 'online' && answer.status.name === 'here', JSON.stringify(answer));
      await until('the socket closed', openSockets, count => count === before);
    });

    test('a datagram from a different sender is ignored if it arrives before the UDP socket is connected to the server', async t => {
      const { udp, ask } = await pool({ openSystem });
      const { endpoint } = await online('here');
      const stranger = createSocket('udp4');
      cleanups.push(() => stranger.close());
      const { connect } = Socket.prototype;
      t.mock.method(Socket.prototype, 'connect', function (this: Socket, port: number, ...more: unknown[]) {
        const connectNow = () => Reflect.apply(connect, this, [port, ...more]);
        // First, another socket (`stranger`) sends a datagram to the query socket. Then `connectNow` connects the query
        // socket to the server.
        this.bind(0, '127.0.0.1', () =>
          stranger.send(sourceInfo({ name: 'stranger' }), this.address().port, '127.0.0.1', connectNow),
        );
      });
      const { answer } = await ask(endpoint, { confirm: true });
      assert.ok(answer.kind === 'online' && answer.status.name === 'here', JSON.stringify(answer));
      assert.equal(udp.strayDatagrams, 1);
    });

    test('if the packet of a query cannot be sent, the query ends with `fault` (local error)', async () => {
      const { ask } = await pool({ openSystem });
      for (const endpoint of [endpointAt('127.0.0.1', 70_000), endpointAt(BROADCAST, CLOSED_PORT)]) {
        const { answer } = await ask(endpoint, { confirm: true });
        assert.ok(
          answer.kind === 'fault' && answer.detail.startsWith('cannot send: '),
          JSON.stringify(answer),
        );
      }
    });

    test('the first 256 concurrent retries of UDP queries use one socket each, and all further retries share one socket', async () => {
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
        // Waits after each 100 queries, so that the receive buffer of the fake game server does not overflow.
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

/** Returns the number of open UDP sockets of this process. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'UDPWrap').length;
}
