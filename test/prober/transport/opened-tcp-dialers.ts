import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after } from 'node:test';
import type { Endpoint } from '../../../prober/answers/answer.ts';
import type { StreamExchange } from '../../../prober/protocols/protocol.ts';
import { TcpDialer } from '../../../prober/transport/tcp-dialer.ts';
import { fastClock } from '../clock.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { minecraftStatus } from '../protocols/bytes.ts';

/** Complete status reply of a Minecraft server. */
export const REPLY = minecraftStatus('{"players":{"max":5,"online":1},"description":"here"}');

/**
 * Returns functions that start TCP servers and dialers, and the list of started servers, oldest first. Closes the
 * servers after the tests of the file.
 */
export function openedTcpDialers() {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const clocks: { stop(): void }[] = [];
  after(() => {
    for (const clock of clocks) clock.stop();
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  });

  async function server(serve: (socket: Socket) => void, address = '127.0.0.1') {
    const tcp = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {});
      serve(socket);
    });
    servers.push(tcp);
    tcp.listen(0, address);
    await once(tcp, 'listening');
    const bound = tcp.address();
    assert.ok(bound && typeof bound === 'object');
    return { address, port: bound.port };
  }

  /** Opens a TCP dialer. The clock of the dialer runs 25 times faster than real time. */
  function dialer(connections = 8, maxBytes = 1000) {
    const clock = fastClock();
    clocks.push(clock);
    const tcp = new TcpDialer({ connections, maxBytes, wheel: clock.wheel });
    return {
      ask: (
        endpoint: Endpoint,
        exchange: StreamExchange,
        ms: number,
        admitted = unlimitedProbe(clock.wheel),
      ) => tcp.ask(endpoint, exchange, admitted, ms),
      close: () => tcp.close(),
      wheel: clock.wheel,
    };
  }

  return { servers, server, dialer };
}
