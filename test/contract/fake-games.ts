import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Fleet } from '../fleet/fleet.ts';
import type { FleetServer } from '../fleet/responder.ts';
import { until } from '../system/until.ts';
import { fetchOne, type RestServer } from './rest.ts';

const HOST = '127.0.91.1';

/** The status that a fake game server reports. REST must show the same values. */
export const SERVER: FleetServer = {
  name: 'A server of the tests',
  map: 'oasis',
  maxplayers: 24,
  password: true,
  version: '4.5.6',
  players: [
    { name: 'Ann', score: 7, time: 61 },
    { name: 'Bob', score: -2, time: 600 },
  ],
  port: 0,
};

/** A server in a REST answer. With this type, tests can also read keys that RestServer does not declare. */
export type Shown = RestServer & { [key: string]: unknown };

/** Starts fake game servers in this process, and fetches their status from the REST gateway of a test stack. */
export class FakeGames {
  readonly #http: () => string;
  readonly #cleanups: (() => unknown)[] = [];

  /** `http`: function that returns the address of the REST gateway, `host:port`. */
  constructor(http: () => string) {
    this.#http = http;
  }

  /** Stops all fake game servers that were started by methods of this object. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups) await cleanup();
  }

  /** Starts a fake game server of this protocol. Returns the port of the server. */
  readonly listens = async (
    protocol: string,
    change: Partial<FleetServer> = {},
    address = HOST,
  ): Promise<number> => {
    const server = { ...SERVER, ...change };
    const fleet = await Fleet.open([{ protocol, address, server }]);
    this.#cleanups.push(() => fleet.close());
    return server.port;
  };

  /** Starts a UDP server that answers each datagram with `reply`. Returns the port of the server. */
  readonly answers = async (reply: (request: Buffer) => Buffer): Promise<number> => {
    const socket = createSocket('udp4');
    this.#cleanups.push(() => socket.close());
    socket.on('message', (request, from) => socket.send(reply(request), from.port, from.address));
    socket.bind(0, HOST);
    await once(socket, 'listening');
    return socket.address().port;
  };

  /**
   * Starts a TCP server that answers the first data of each connection with `reply`, and then closes the connection.
   * Returns the port of the server.
   */
  readonly answersOnce = async (reply: Buffer): Promise<number> => {
    const game = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(reply));
    });
    this.#cleanups.push(() => game.close());
    game.listen(0, HOST);
    await once(game, 'listening');
    const bound = game.address();
    if (!bound || typeof bound !== 'object') throw new Error('the server has no port');
    return bound.port;
  };

  /** Waits until a server is online. Returns the server as REST shows it. */
  readonly online = (gameId: string, port: number, host = HOST): Promise<Shown> =>
    until(
      `${gameId} online`,
      async () => ({ ...(await fetchOne(this.#http(), gameId, `${host}:${port}`)) }),
      ({ _updater }) => _updater.status === 'online',
    );

  /**
   * Waits until a server is online. Returns the values of some fields of the server: `name`, `players`, `maxplayers`,
   * and then the fields in `more`.
   */
  readonly seen = async (gameId: string, port: number, ...more: string[]): Promise<unknown[]> => {
    const server = await this.online(gameId, port);
    return ['name', 'players', 'maxplayers', ...more].map(key => server[key]);
  };
}
