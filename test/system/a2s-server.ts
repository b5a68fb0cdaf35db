import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { respondA2s } from '../../cli/demo/a2s-responder.ts';
import type { FakePlayer, FakeState } from '../../cli/demo/fake-server.ts';

const CHALLENGE = 0x44332211;
/** The header of a reply and its type, without the data. */
const CUT_SHORT = 5;
/** The clock stands still, so that players keep their times. */
const NOW = Date.UTC(2026, 0, 1);

/** A player who joined this many seconds ago. */
export function player(name: string, score: number, seconds: number): FakePlayer {
  return { name, score, joinedAt: NOW - seconds * 1000 };
}

/** A small game server on a loopback port that speaks Valve's server queries. */
export class A2sServer implements FakeState {
  name = 'A server of the tests';
  map = 'de_dust2';
  version = '1.38.8.1';
  maxplayers = 16;
  password = true;
  players = [player('Ann', 7, 61), player('"Bob" \\', -2, 3600)];
  /** Answers completely, cuts every answer so that none is valid, or stays silent. */
  manner: 'whole' | 'broken' | 'silent' = 'whole';
  /** Number of datagrams received. */
  questions = 0;
  readonly #socket: Socket = createSocket('udp4');

  static async start(
    settings: Partial<Pick<A2sServer, 'name' | 'players' | 'manner'>> = {},
  ): Promise<A2sServer> {
    const server = Object.assign(new A2sServer(), settings);
    const socket = server.#socket;
    socket.on('message', (datagram, from) => {
      server.questions++;
      const reply = respondA2s(server, datagram, CHALLENGE, NOW);
      if (server.manner === 'silent' || !reply) return;
      const said = server.manner === 'whole' ? reply : reply.subarray(0, CUT_SHORT);
      socket.send(said, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    // The socket must not keep a process alive whose test failed to stop it.
    socket.unref();
    await once(socket, 'listening');
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** The address as callers write it. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#socket.close();
  }
}
