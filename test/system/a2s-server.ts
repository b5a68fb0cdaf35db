import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { respondA2s } from '../../cli/demo/a2s-responder.ts';
import type { FakePlayer, FakeState } from '../../cli/demo/fake-server.ts';

const CHALLENGE = 0x44332211;
/** Length of a truncated A2S reply, in bytes: the header and the type of the reply, without the data. */
const CUT_SHORT = 5;
/** Constant time of the fake servers, so that the play times of their players never change. */
const NOW = Date.UTC(2026, 0, 1);

/** Returns a player of a fake game server who joined `seconds` seconds ago. */
export function player(name: string, score: number, seconds: number): FakePlayer {
  return { name, score, joinedAt: NOW - seconds * 1000 };
}

/** A fake game server on a loopback port, which answers Valve's A2S queries. */
export class A2sServer implements FakeState {
  name = 'A server of the tests';
  map = 'de_dust2';
  version = '1.38.8.1';
  maxplayers = 16;
  password = true;
  players = [player('Ann', 7, 61), player('"Bob" \\', -2, 3600)];
  /**
   * How the fake server replies. `whole`: completely. `broken`: with truncated, invalid replies. `silent`: not at all.
   */
  manner: 'whole' | 'broken' | 'silent' = 'whole';
  /** Number of datagrams that the fake server has received. */
  questions = 0;
  /** Called for each received datagram with the UDP port of its sender. */
  onQuestion: (port: number) => void = () => {};
  readonly #socket: Socket = createSocket('udp4');

  /** Starts a fake game server on a free UDP port. `host`: the IPv4 loopback address on which it listens. */
  static async start(
    settings: Partial<Pick<A2sServer, 'name' | 'players' | 'manner'>> = {},
    host = '127.0.0.1',
  ): Promise<A2sServer> {
    const server = Object.assign(new A2sServer(), settings);
    const socket = server.#socket;
    socket.on('message', (datagram, from) => {
      server.questions++;
      server.onQuestion(from.port);
      const reply = respondA2s(server, datagram, CHALLENGE, NOW);
      if (server.manner === 'silent' || !reply) return;
      const said = server.manner === 'whole' ? reply : reply.subarray(0, CUT_SHORT);
      socket.send(said, from.port, from.address);
    });
    socket.bind(0, host);
    // The socket must not keep the test process alive if a test forgets to stop the fake game server.
    socket.unref();
    await once(socket, 'listening');
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Address of the fake game server, `host:port`. */
  get address(): string {
    return `${this.#socket.address().address}:${this.port}`;
  }

  stop(): void {
    this.#socket.close();
  }
}
