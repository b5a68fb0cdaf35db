import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER = Buffer.from([0xff, 0xff, 0xff, 0xff]);
const CHALLENGE = Buffer.from([0x11, 0x22, 0x33, 0x44]);

export interface A2sPlayer {
  name: string;
  score: number;
  /** Seconds. */
  time: number;
}

/**
 * A small game server that speaks Valve's server queries, challenge included, on a port of loopback.
 * https://developer.valvesoftware.com/wiki/Server_queries
 */
export class A2sServer {
  name = 'A server of the tests';
  map = 'de_dust2';
  maxplayers = 16;
  bots = 1;
  password = true;
  version = '1.38.8.1';
  players: A2sPlayer[] = [
    { name: 'Ann', score: 7, time: 61 },
    { name: '"Bob" \\', score: -2, time: 3600 },
  ];
  /** Answers in full, cuts every answer short so that none is valid, or keeps questions unanswered. */
  manner: 'whole' | 'broken' | 'silent' = 'whole';
  /** Datagrams that asked for anything. */
  questions = 0;
  readonly #socket: Socket = createSocket('udp4');

  static async start(
    settings: Partial<Pick<A2sServer, 'name' | 'players' | 'manner'>> = {},
  ): Promise<A2sServer> {
    const server = Object.assign(new A2sServer(), settings);
    server.#socket.on('message', (datagram, from) => server.#answer(datagram, from));
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** As callers write it. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(datagram: Buffer, from: RemoteInfo): void {
    this.questions++;
    const reply = this.#reply(datagram);
    if (this.manner === 'silent' || !reply) return;
    const whole = Buffer.concat([HEADER, reply]);
    const said = this.manner === 'whole' ? whole : whole.subarray(0, HEADER.length + 1);
    this.#socket.send(said, from.port, from.address);
  }

  #reply(datagram: Buffer): Buffer | undefined {
    const challenged = datagram.subarray(-CHALLENGE.length).equals(CHALLENGE);
    const kind = datagram.length > HEADER.length ? datagram.toString('latin1', 4, 5) : '';
    if ((kind === 'T' || kind === 'U') && !challenged) return Buffer.concat([Buffer.from('A'), CHALLENGE]);
    if (kind === 'T') return this.#info();
    return kind === 'U' ? this.#playerList() : undefined;
  }

  #info(): Buffer {
    const { name, map, players, maxplayers, bots, password, version } = this;
    const text = (value: string) => Buffer.from(`${value}\0`);
    return Buffer.concat([
      Buffer.from('I\x11'),
      text(name),
      text(map),
      text('csgo'),
      text('Counter-Strike'),
      Buffer.from([0, 0, players.length, maxplayers, bots]),
      Buffer.from('dl'),
      Buffer.from([password ? 1 : 0, 1]),
      text(version),
    ]);
  }

  #playerList(): Buffer {
    const list = this.players.map(({ name, score, time }, index) => {
      const numbers = Buffer.alloc(8);
      numbers.writeInt32LE(score, 0);
      numbers.writeFloatLE(time, 4);
      return Buffer.concat([Buffer.from([index]), Buffer.from(`${name}\0`), numbers]);
    });
    return Buffer.concat([Buffer.from('D'), Buffer.from([this.players.length]), ...list]);
  }
}
