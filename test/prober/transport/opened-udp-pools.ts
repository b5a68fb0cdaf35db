import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import type { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import type { DatagramEndpoint } from '../../../prober/transport/datagram-socket.ts';
import { type Asker, UdpPool } from '../../../prober/transport/udp-pool.ts';
import { fastClock } from '../clock.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { openDatagrams } from '../protocols/exchange.ts';

/** Sends a UDP query to a server and resolves to the answer to this query. */
export const answerOf = (asker: Asker, timeoutMs: number) =>
  new Promise<Answer>(resolve => asker.ask(timeoutMs, resolve));

/**
 * Returns the functions `server`, which starts a fake game server, and `pool`, which opens a UDP pool. After the tests
 * of the file, closes the servers, the pools, and the sockets that tests have added to the list `open`.
 */
export function openedUdpPools() {
  const open: Socket[] = [];
  const pools: UdpPool[] = [];
  const clocks: { stop(): void }[] = [];
  after(async () => {
    for (const socket of open) socket.close();
    for (const udp of pools) await udp.close();
    for (const clock of clocks) clock.stop();
  });

  /** Starts a fake game server on loopback. */
  async function server(
    answer: (socket: Socket, from: RemoteInfo, datagram: Buffer) => void,
    address = '127.0.0.1',
  ) {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    open.push(socket);
    socket.bind(0, address);
    await once(socket, 'listening');
    socket.on('message', (datagram, from) => answer(socket, from, datagram));
    return { socket, endpoint: endpointAt(address, socket.address().port) };
  }

  /** Opens a UDP pool. Its default timing wheel runs 25 times faster than real time. */
  async function pool(receiveBuffer = 64 * 1024, wheel?: TimerWheel) {
    const warnings: string[] = [];
    const clock = wheel ? { wheel, stop: () => wheel.stop() } : fastClock();
    clocks.push(clock);
    const udp = await UdpPool.open({
      sockets: 4,
      receiveBuffer,
      wheel: clock.wheel,
      warn: text => warnings.push(text),
    });
    pools.push(udp);
    /** Sends a query to an endpoint through the UDP pool and resolves to the answer to this query. */
    const ask = (
      endpoint: DatagramEndpoint,
      timeoutMs: number,
      confirm = false,
      admitted = unlimitedProbe(clock.wheel),
    ) => answerOf(udp.converse(endpoint, openDatagrams(a2s), admitted, confirm), timeoutMs);
    return { udp, ask, warnings, wheel: clock.wheel };
  }

  return { open, server, pool };
}
