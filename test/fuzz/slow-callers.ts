import { connect, type Socket } from 'node:net';
import { gsqV1 } from '../../proto/descriptors.ts';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { frame, headerBlock } from './grpc-frames.ts';
import { loopbackAddress } from './http-connection.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const DRIP_MS = 500;
const BETWEEN_MS = 20;

const credentials = `X-API-Token: ${bootstrap.token}\r\nX-API-Token-Type: ${bootstrap.tier}\r\nX-API-Token-Email: ${bootstrap.email}\r\n`;
const fetchHead = `POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${credentials}`;

const callHead = headerBlock({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': gsqV1.ServerService.service.FetchServers.path,
  ':authority': 'x',
  'content-type': 'application/grpc',
  te: 'trailers',
});

/** Kinds of slow callers. A caller sends the bytes `begin` once, and then the bytes `drip` every 500 ms. */
const KINDS: readonly { port: 'http' | 'grpc'; begin: Buffer; drip: Buffer }[] = [
  {
    port: 'http',
    begin: Buffer.from('GET /v1/get/games HTTP/1.1\r\nHost: x\r\nX: '),
    drip: Buffer.from('a'),
  },
  { port: 'http', begin: Buffer.from(`${fetchHead}Content-Length: 60000\r\n\r\n{`), drip: Buffer.from(' ') },
  {
    port: 'http',
    begin: Buffer.from(`${fetchHead}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
    drip: Buffer.from('1\r\n \r\n'),
  },
  { port: 'http', begin: Buffer.alloc(0), drip: Buffer.alloc(0) },
  { port: 'grpc', begin: Buffer.alloc(0), drip: Buffer.alloc(0) },
  { port: 'grpc', begin: PREFACE, drip: Buffer.alloc(0) },
  {
    port: 'grpc',
    begin: Buffer.concat([
      PREFACE,
      frame(4, 0, 0),
      ...Array.from({ length: 50 }, (_, i) =>
        Buffer.concat([
          frame(1, 4, 2 * i + 1, callHead),
          frame(0, 0, 2 * i + 1, Buffer.from([0, 0, 1, 0, 0, 1])),
        ]),
      ),
    ]),
    drip: frame(0, 0, 1, Buffer.from(' ')),
  },
];

export interface SlowResult {
  callers: number;
  /** Number of slow callers that were still connected when the run ended. */
  left: number;
  /** Number of requests of the well-behaved caller. All of them were answered with status 200. */
  served: number;
  slowestMs: number;
}

/**
 * Runs slow callers and one well-behaved caller until `until` settles. Rejects if the well-behaved caller gets a status
 * other than 200.
 */
export async function crowdOfSlowCallers(
  addresses: { http: string; grpc: string },
  eachKind: number,
  until: Promise<unknown>,
): Promise<SlowResult> {
  const sockets: Socket[] = [];
  let left = 0;
  for (const { port, begin, drip } of KINDS) {
    const [host, number] = addresses[port].split(':');
    for (let i = 0; i < eachKind; i++) {
      const socket = connect({ host, port: Number(number), localAddress: loopbackAddress() });
      socket.on('error', () => {});
      socket.resume();
      socket.write(begin);
      const dripping = setInterval(() => drip.length > 0 && socket.write(drip), DRIP_MS);
      left++;
      socket.on('close', () => {
        left--;
        clearInterval(dripping);
      });
      sockets.push(socket);
    }
  }
  const result: SlowResult = { callers: sockets.length, left: 0, served: 0, slowestMs: 0 };
  let over = false;
  const end = (): void => {
    over = true;
  };
  until.then(end, end);
  try {
    while (!over) {
      const began = performance.now();
      const { status, text } = await ask(addresses.http, { path: '/v1/get/games' });
      if (status !== 200) throw new Error(`an honest caller was answered with ${status}: ${text}`);
      result.served++;
      result.slowestMs = Math.max(result.slowestMs, performance.now() - began);
      await new Promise(resolve => setTimeout(resolve, BETWEEN_MS));
    }
    result.left = left;
    return result;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
