/**
 * A program that ask.test.ts runs. It receives two gzip answers with secrets, the second one incomplete, and records
 * them with `askRaw`.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { askRaw } from './ask.ts';

/** The secrets that the test hides in the answers, one in each answer. */
const secrets: string[] = JSON.parse(process.argv[2] ?? '');
const answers = secrets.map(secret => {
  const body = gzipSync(JSON.stringify({ message: secret, more: '.'.repeat(200) }));
  const head = `HTTP/1.1 403 Forbidden\r\ncontent-encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
});
// Makes the second gzip body incomplete: leaves out its last eight bytes, which are the checksum and the length.
const sent = Buffer.concat(answers).subarray(0, -8);
const server = createServer(socket => socket.end(sent)).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
await askRaw(`127.0.0.1:${port}`, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
server.close();
