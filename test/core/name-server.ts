import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/** What a name server knows: records by `<type> <name>`. A name of no record is NXDOMAIN, `broken.test` SERVFAIL. */
export type Zone = Record<string, readonly Buffer[]>;

const TYPES = new Map([
  [1, 'A'],
  [28, 'AAAA'],
  [33, 'SRV'],
]);
const NXDOMAIN = 3;
const SERVFAIL = 2;

export const ipv4 = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

/** An IPv6 address of eight groups. */
export const ipv6 = (groups: string): Buffer =>
  Buffer.from(
    groups
      .split(':')
      .map(group => group.padStart(4, '0'))
      .join(''),
    'hex',
  );

export function srv(priority: number, port: number, target: string): Buffer {
  const numbers = Buffer.alloc(6);
  numbers.writeUInt16BE(priority, 0);
  numbers.writeUInt16BE(port, 4);
  const labels = target.split('.').flatMap(label => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([numbers, ...labels, Buffer.from([0])]);
}

/** A name server on loopback (RFC 1035), as `ip:port`, and every question it was asked. */
export async function nameServer(t: TestContext, zone: Zone): Promise<{ address: string; asked: string[] }> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(12, at + 5);
    asked.push(`${TYPES.get(type)} ${name}`);
    const records = zone[`${TYPES.get(type)} ${name}`] ?? [];
    const known = Object.keys(zone).some(key => key.endsWith(` ${name}`));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (name === 'broken.test' ? SERVFAIL : known ? 0 : NXDOMAIN), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const answers = records.map(data => {
      const fields = Buffer.alloc(12);
      // The name is a pointer to that of the question.
      fields.writeUInt16BE(0xc00c, 0);
      fields.writeUInt16BE(type, 2);
      fields.writeUInt16BE(1, 4);
      fields.writeUInt32BE(60, 6);
      fields.writeUInt16BE(data.length, 10);
      return Buffer.concat([fields, data]);
    });
    socket.send(Buffer.concat([header, question, ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}
