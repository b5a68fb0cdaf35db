import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** DNS response codes (RFC 1035). */
export const SERVFAIL = 2;
const NXDOMAIN = 3;
export const REFUSED = 5;
/** Set instead of a DNS response code if the DNS server must not answer queries for a record. */
export const SILENT = -1;

const HEADER_BYTES = 12;
const RESPONSE_AUTHORITATIVE = 0x8400;
/** Compressed name in a DNS answer: a pointer to the host name in the question. */
const POINTER_TO_QUESTION = 0xc000 | HEADER_BYTES;
const CLASS_IN = 1;
const TYPES = new Map<number, 'a' | 'aaaa' | 'srv'>([
  [1, 'a'],
  [28, 'aaaa'],
  [33, 'srv'],
]);

export interface Service {
  priority: number;
  weight: number;
  port: number;
  target: string;
}

/**
 * DNS records of a host name, keyed by record type. A number instead of the records is a response code, which the DNS
 * server sends as its answer. If the number is SILENT, the DNS server does not answer.
 */
export interface Records {
  a?: readonly string[] | number;
  aaaa?: readonly string[] | number;
  srv?: readonly Service[] | number;
}

/** A DNS server on loopback with records that the test sets (RFC 1035). It reads one question per message. */
export class NameServer {
  /** DNS records that the server knows, keyed by lower-case host name. Tests can change this map at any time. */
  readonly names: Map<string, Records>;
  /** All DNS queries that the server has received so far, as `TYPE name`. */
  readonly questions: string[] = [];
  /** If true, the DNS server answers no query. */
  silent = false;
  readonly #socket: Socket = createSocket('udp4');

  private constructor(names: Record<string, Records>) {
    this.names = new Map(Object.entries(names));
  }

  static async start(names: Record<string, Records>): Promise<NameServer> {
    const server = new NameServer(names);
    const socket = server.#socket;
    socket.on('message', (query, from) => {
      const reply = server.#reply(query);
      if (reply && !server.silent) socket.send(reply, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    // The socket must not keep the test process alive if a test forgets to stop the DNS server.
    socket.unref();
    await once(socket, 'listening');
    return server;
  }

  /** Address of the DNS server, `ip:port`, in the format of GSQ_DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  /** Returns the reply to a DNS query. Returns undefined if the server must not answer it (SILENT). */
  #reply(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const typeNumber = query.readUInt16BE(at + 1);
    const type = TYPES.get(typeNumber);
    this.questions.push(`${type?.toUpperCase() ?? typeNumber} ${name}`);

    const records = this.names.get(name);
    const found = records ? ((type && records[type]) ?? []) : NXDOMAIN;
    if (found === SILENT) return undefined;
    const answers = typeof found === 'number' ? [] : found.map(record => encode(typeNumber, record));
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(RESPONSE_AUTHORITATIVE | (typeof found === 'number' ? found : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, at + 5), ...answers]);
  }
}

/** Encodes a DNS record for the host name in the question, with a time-to-live of 0 so that it is not cached. */
function encode(type: number, record: string | Service): Buffer {
  const data = typeof record === 'string' ? encodeAddress(record) : encodeService(record);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(POINTER_TO_QUESTION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(CLASS_IN, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function encodeAddress(ip: string): Buffer {
  if (isIPv4(ip)) return Buffer.from(ip.split('.').map(Number));
  const [head = '', tail = ''] = ip.split('::');
  const groups = (part: string) => part.split(':').filter(group => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

function encodeService({ priority, weight, port, target }: Service): Buffer {
  const numbers = Buffer.alloc(6);
  numbers.writeUInt16BE(priority, 0);
  numbers.writeUInt16BE(weight, 2);
  numbers.writeUInt16BE(port, 4);
  const labels = target.split('.').filter(label => label !== '');
  const name = labels.flatMap(label => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([numbers, ...name, Buffer.from([0])]);
}
