import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const RESPONSE_AUTHORITATIVE = 0x8400;
const NO_SUCH_NAME = 3;

/** A name server on loopback that knows what it is told: IPv4 addresses by name (RFC 1035). */
export class DnsServer {
  /** By lower-case name; any other name does not exist. */
  readonly addresses = new Map<string, string>();
  /** Leaves questions unanswered. */
  silent = false;
  readonly #socket: Socket = createSocket('udp4');

  static async start(addresses: Record<string, string>): Promise<DnsServer> {
    const server = new DnsServer();
    for (const [name, address] of Object.entries(addresses)) server.addresses.set(name, address);
    server.#socket.on('message', (question, from) => {
      if (!server.silent) server.#socket.send(server.#answer(question), from.port, from.address);
    });
    server.#socket.bind(0, '127.0.0.1');
    // A test that failed to stop it must still be able to end.
    server.#socket.unref();
    await once(server.#socket, 'listening');
    return server;
  }

  /** `ip:port`, as GSQ_DNS_SERVERS wants it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(HEADER_BYTES, at + 5);
    const address = this.addresses.get(labels.join('.').toLowerCase());
    const answers = address !== undefined && type === TYPE_A ? [record(address)] : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(RESPONSE_AUTHORITATIVE | (address === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, question, ...answers]);
  }
}

/** An A record for the name of the question, kept for no time at all. */
function record(address: string): Buffer {
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4]);
  return Buffer.concat([head, Buffer.from(address.split('.').map(Number))]);
}
