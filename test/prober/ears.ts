import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { isGamePort } from '../../net/targets.ts';

/** A packet or connection that a test listener received. */
interface Heard {
  /** Name of the listener that received the packet or connection: protocol and address, such as `udp 127.0.0.1`. */
  ear: string;
  /** Port of the sender of the packet or connection. */
  from: number;
}

/**
 * Listens for UDP packets and TCP connections on one port of 127.0.0.1, and of ::1 if this machine has this address.
 * Sends no replies.
 */
export class Ears {
  readonly port: number;
  readonly addresses: string[] = [];
  readonly #heard: Heard[] = [];
  readonly #closers: (() => void)[] = [];
  #more = (): void => {};

  private constructor(port: number) {
    this.port = port;
  }

  /** Opens all listeners on one free port. The prober is allowed to query this port. */
  static async open(): Promise<Ears> {
    for (let tries = 1; ; tries++) {
      const free = await udpOn('127.0.0.1', 0);
      const { port } = free.address();
      free.close();
      if (!isGamePort(port)) continue;
      const ears = new Ears(port);
      try {
        await ears.#listen('127.0.0.1');
        await ears.#listen('::1').catch(error => {
          if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code)) throw error;
        });
        return ears;
      } catch (error) {
        ears.close();
        if (tries === 20) throw error;
      }
    }
  }

  /** Resolves as soon as the listener named `ear` has received a packet or a connection. */
  hears(ear: string): Promise<void> {
    return this.#until(heard => heard.ear === ear);
  }

  /**
   * Returns one listener name for each packet and each connection that was received so far. This function itself also
   * sends packets and opens connections, but the result does not contain these.
   */
  async all(): Promise<string[]> {
    const own: Heard[] = [];
    // Sends a packet and opens a connection to each address. When the packet and the connection have arrived, all
    // earlier packets to this address have arrived too.
    for (const address of this.addresses) {
      const speaker = await udpOn(address, 0);
      own.push({ ear: `udp ${address}`, from: speaker.address().port });
      speaker.send('a word', this.port, address);
      const caller = connect(this.port, address);
      await once(caller, 'connect');
      caller.on('error', () => {});
      own.push({ ear: `tcp ${address}`, from: caller.localPort ?? 0 });
      for (const word of own) await this.#until(heard => isSame(heard, word));
      speaker.close();
      caller.destroy();
    }
    return this.#heard.filter(heard => !own.some(word => isSame(heard, word))).map(({ ear }) => ear);
  }

  close(): void {
    for (const close of this.#closers) close();
  }

  async #until(met: (heard: Heard) => boolean): Promise<void> {
    while (!this.#heard.some(met)) {
      await new Promise<void>(resolve => {
        this.#more = resolve;
      });
    }
  }

  #hear(ear: string, from: number): void {
    this.#heard.push({ ear, from });
    this.#more();
  }

  async #listen(address: string): Promise<void> {
    const udp = await udpOn(address, this.port);
    this.#closers.push(() => udp.close());
    udp.on('message', (_, from) => this.#hear(`udp ${address}`, from.port));
    const tcp: Server = createServer(socket => {
      this.#hear(`tcp ${address}`, socket.remotePort ?? 0);
      socket.on('error', () => {}).destroy();
    });
    tcp.listen(this.port, address);
    await once(tcp, 'listening');
    this.#closers.push(() => tcp.close());
    this.addresses.push(address);
  }
}

function isSame(one: Heard, other: Heard): boolean {
  return one.ear === other.ear && one.from === other.from;
}

async function udpOn(address: string, port: number): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  return socket;
}
