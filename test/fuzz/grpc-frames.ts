import { connect } from 'node:net';
import { gsqV1 } from '../../proto/descriptors.ts';
import { pick } from './fetch-bodies.ts';
import { framed } from './grpc-calls.ts';
import { loopbackAddress } from './http-connection.ts';
import { mutate, type Random } from './mutations.ts';

/** The bytes with which the client begins an HTTP/2 connection (RFC 9113, section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

const DATA = 0;
const HEADERS = 1;
const PRIORITY = 2;
const RST_STREAM = 3;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;

const END_STREAM = 1;
const END_HEADERS = 4;

/** Builds one HTTP/2 frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes a string of less than 127 bytes for HPACK without Huffman coding (RFC 7541, section 5.2). */
function literal(text: string): Buffer {
  return Buffer.from([text.length, ...Buffer.from(text)]);
}

/** Encodes headers as HPACK literals without indexing (RFC 7541, section 6.2.2). */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]),
  );
}

const block = headerBlock({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': gsqV1.GameService.service.ListGames.path,
  ':authority': 'x',
  'content-type': 'application/grpc',
  te: 'trailers',
});

const whole = {
  ':method': 'POST',
  ':scheme': 'http',
  ':path': gsqV1.GameService.service.ListGames.path,
  'content-type': 'application/grpc',
};

/**
 * Each entry is a group of headers that HTTP/2 forbids (RFC 9113, sections 8.2 and 8.3) or that real clients do not
 * send.
 */
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { ':method': 'POST' },
  { ':method': 'CONNECT', ':authority': 'x' },
  { ':method': 'CONNECT', ':authority': 'x', 'content-type': 'application/grpc' },
  { ':method': 'POST', ':scheme': 'http', 'content-type': 'application/grpc' },
  { ...whole, te: 'gzip' },
  { ...whole, connection: 'keep-alive' },
  { ...whole, 'transfer-encoding': 'chunked' },
  { ...whole, ':nothing': 'x' },
  { ...whole, 'Upper-Case': 'x' },
  { ...whole, 'x y': 'z' },
  { ...whole, '': 'z' },
  { ...whole, x: 'a\r\nb: c' },
  { ...whole, x: '\0' },
  { ...whole, 'x-bin': '\x7f' },
  { ...whole, ':status': '200' },
  { x: 'y', ...whole },
];

/** Encodes one complete gRPC call as HTTP/2 frames. */
export function callFrames(stream: number, headers = block): Buffer[] {
  return [
    frame(HEADERS, END_HEADERS, stream, headers),
    frame(DATA, END_STREAM, stream, framed(Buffer.alloc(0))),
  ];
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const repeated = (count: number, make: (i: number) => Buffer[]): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)).flat());

/** Bytes that attack or violate HTTP/2, keyed by name: known denial-of-service floods, and frames in a wrong place. */
const FLOODS: Readonly<Record<string, () => Buffer>> = {
  // Builds rapid reset attacks (CVE-2023-44487): thousands of streams that are opened and immediately reset.
  'rapid resets': () =>
    repeated(2_000, i => [...callFrames(2 * i + 1), frame(RST_STREAM, 0, 2 * i + 1, uint32(8))]),
  'rapid resets of headers': () =>
    repeated(2_000, i => [
      frame(HEADERS, END_HEADERS, 2 * i + 1, block),
      frame(RST_STREAM, 0, 2 * i + 1, uint32(8)),
    ]),
  // Builds a flood of PING frames (CVE-2019-9512), and a flood of SETTINGS frames (CVE-2019-9515).
  pings: () => repeated(20_000, () => [frame(PING, 0, 0, Buffer.alloc(8))]),
  settings: () => repeated(20_000, () => [frame(SETTINGS, 0, 0)]),
  // Builds a flood of PRIORITY frames (CVE-2019-9513), and a flood of empty DATA frames (CVE-2019-9518).
  priorities: () => repeated(20_000, i => [frame(PRIORITY, 0, 2 * (i % 100) + 1, Buffer.alloc(5, 1))]),
  'empty data': () =>
    Buffer.concat([frame(HEADERS, END_HEADERS, 1, block), repeated(20_000, () => [frame(DATA, 0, 1)])]),
  // Builds a flood of CONTINUATION frames (CVE-2024-27316), in which the headers never end.
  continuations: () =>
    Buffer.concat([
      frame(HEADERS, 0, 1, block),
      repeated(2_000, () => [
        frame(
          CONTINUATION,
          0,
          1,
          Buffer.concat([Buffer.from([0]), literal('x-a'), literal('b'.repeat(100))]),
        ),
      ]),
    ]),
  'streams that say nothing': () => repeated(500, i => [frame(HEADERS, END_HEADERS, 2 * i + 1, block)]),
  windows: () => repeated(1_000, () => [frame(WINDOW_UPDATE, 0, 0, uint32(2 ** 31 - 1))]),
  'a window of nothing': () => frame(WINDOW_UPDATE, 0, 0, uint32(0)),
  'a small window': () =>
    Buffer.concat([frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 4]), uint32(0)])), ...callFrames(1)]),
  'a push': () => frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.concat([uint32(2), block])),
  'a goodbye': () => Buffer.concat([frame(GOAWAY, 0, 0, Buffer.alloc(8)), ...callFrames(1)]),
  // A GOAWAY frame, a call and an invalid frame: on Node 20, these bytes would crash a core without the function
  // `closeAfterGoaway` (core/rpc/http2-server.ts).
  'a goodbye, a call and an invalid frame': () =>
    Buffer.concat([frame(GOAWAY, 0, 0, Buffer.alloc(8)), ...callFrames(1), frame(GOAWAY, 0, 0)]),
  'an even stream': () => Buffer.concat(callFrames(2)),
  'the stream before': () => Buffer.concat([...callFrames(5), ...callFrames(3)]),
  'data without headers': () => frame(DATA, END_STREAM, 7, Buffer.from('x')),
  'a frame too large': () => frame(DATA, 0, 1, Buffer.alloc(100_000)),
  'unknown frames': () => repeated(1_000, i => [frame(200, 255, i, Buffer.alloc(10))]),
  'HTTP/1': () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  nothing: () => Buffer.alloc(0),
};

/**
 * Returns random bytes to send on a connection: an HTTP/2 flood, calls with forbidden headers, or calls with corrupted
 * bytes.
 */
export function rawBytes(random: Random): Buffer {
  const settings = frame(SETTINGS, 0, 0);
  if (random(4) === 0) {
    const flood = pick(Object.values(FLOODS), random)();
    return random(5) === 0 ? flood : Buffer.concat([PREFACE, settings, flood]);
  }
  if (random(4) === 0) {
    const odd = ODD_HEADERS.map((headers, i) => callFrames(2 * i + 1, headerBlock(headers)));
    return Buffer.concat([PREFACE, settings, ...pick(odd, random)]);
  }
  const calls = Buffer.concat(Array.from({ length: 1 + random(4) }, (_, i) => callFrames(2 * i + 1)).flat());
  if (random(10) === 0) return mutate(Buffer.concat([PREFACE, settings, calls]), random);
  return Buffer.concat([PREFACE, settings, mutate(calls, random)]);
}

/**
 * Longest time that a test waits for the server to close a raw connection, in milliseconds. It is shorter than the
 * server's own time limits, which slow-callers.ts tests.
 */
const WAIT_MS = 250;

/**
 * Opens a connection, sends bytes and closes the client's side of the connection. The result is `raw, closed` if the
 * server closes the connection within `WAIT_MS`, and `raw, waiting` if it does not.
 */
export function rawConnection(address: string, bytes: Buffer): Promise<'raw, closed' | 'raw, waiting'> {
  const [host, port] = address.split(':');
  return new Promise(resolve => {
    const socket = connect({ host, port: Number(port), localAddress: loopbackAddress() });
    const limit = setTimeout(() => {
      resolve('raw, waiting');
      socket.destroy();
    }, WAIT_MS);
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(limit);
      resolve('raw, closed');
    });
    socket.end(bytes);
  });
}
