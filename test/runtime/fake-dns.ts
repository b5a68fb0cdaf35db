import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

/** Records of one name, or how the server fails for it. */
export interface Zone {
  a?: string[];
  aaaa?: string[];
  srv?: { priority: number; weight: number; port: number; target: string }[];
  /** RFC 1035 response code for the types named, instead of an answer: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  rcode?: Partial<Record<'a' | 'aaaa' | 'srv', number>>;
}

export interface FakeDns {
  /** `ip:port`. */
  address: string;
  /** Every question, as `TYPE name`. */
  questions: string[];
  close(): Promise<void>;
}

const TYPES: Record<number, 'a' | 'aaaa' | 'srv'> = { 1: 'a', 28: 'aaaa', 33: 'srv' };

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter(label => label !== '');
  return Buffer.concat([
    ...labels.map(label => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.from([0]),
  ]);
}

function encodeIPv6(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const groups = (part: string) => part.split(':').filter(group => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

function recordData(zone: Zone, type: 'a' | 'aaaa' | 'srv'): Buffer[] {
  if (type === 'srv') {
    return (zone.srv ?? []).map(({ priority, weight, port, target }) => {
      const numbers = Buffer.alloc(6);
      numbers.writeUInt16BE(priority, 0);
      numbers.writeUInt16BE(weight, 2);
      numbers.writeUInt16BE(port, 4);
      return Buffer.concat([numbers, encodeName(target)]);
    });
  }
  return (zone[type] ?? []).map(ip => (isIPv4(ip) ? Buffer.from(ip.split('.').map(Number)) : encodeIPv6(ip)));
}

/** A name server on loopback (RFC 1035, one question a message), for the given names and no other. */
export async function startFakeDns(zones: Record<string, Zone>): Promise<FakeDns> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const typeNumber = query.readUInt16BE(at + 1);
    const type = TYPES[typeNumber];
    questions.push(`${type?.toUpperCase() ?? typeNumber} ${name}`);
    const zone = zones[name];
    const rcode = !zone || !type ? 3 : (zone.rcode?.[type] ?? 0);
    const data = zone && type && rcode === 0 ? recordData(zone, type) : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | rcode, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(data.length, 6);
    const answers = data.map(bytes => {
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0xc00c, 0);
      head.writeUInt16BE(typeNumber, 2);
      head.writeUInt16BE(1, 4);
      head.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([head, bytes]);
    });
    socket.send(Buffer.concat([header, query.subarray(12, at + 5), ...answers]), peer.port, peer.address);
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise(resolve => socket.close(() => resolve())),
  };
}
