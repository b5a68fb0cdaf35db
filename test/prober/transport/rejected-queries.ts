import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import type { DatagramEndpoint } from '../../../prober/transport/datagram-socket.ts';
import { type Linux, openLinux } from '../../../prober/transport/linux.ts';
import { UdpPool } from '../../../prober/transport/udp-pool.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';

/** UDP port on which no process listens, because the system never assigns this port. */
export const CLOSED_PORT = 9;
/** Result of a UDP query if an ICMP message reports that the queried port is closed. */
export const REFUSED: Answer = { kind: 'refused', detail: 'ECONNREFUSED' };

/** Returns the endpoint (address and closed port) for the loopback address with the number `i`. */
export const closedEndpoint = (i: number) => endpointAt(`127.77.${i >> 8}.${i & 255}`, CLOSED_PORT);

/**
 * Returns functions that start fake game servers and open UDP pools, and the list `cleanups`. After the tests of the
 * file, closes these servers and pools, and calls the functions that a test has added to `cleanups`.
 */
export function rejectedQueries() {
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

  /** Opens a UDP pool. The clock of its default timer wheel stands still, so queries never time out. */
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

  return { cleanups, server, online, pool };
}
