import { deflateSync, gzipSync } from 'node:zlib';
import { bootstrap } from '../system/stack-settings.ts';
import { brokenBody, extremeBodies, fetchBody, pick } from './fetch-bodies.ts';
import { type Expected, expectedOf } from './http-answers.ts';
import { mutate, type Random } from './mutations.ts';

/** One HTTP request as raw bytes. */
export interface HttpCase {
  name: string;
  bytes: Buffer;
  /** The required response. If it is undefined, any documented response is allowed, and no response is also allowed. */
  expected?: Expected;
}

const FETCH = 'POST /v1/post/fetch HTTP/1.1';
const GAMES = 'GET /v1/get/games HTTP/1.1';
const CREDENTIALS = [
  `X-API-Token: ${bootstrap.token}`,
  `X-API-Token-Type: ${bootstrap.tier}`,
  `X-API-Token-Email: ${bootstrap.email}`,
];
const JSON_TYPE = 'Content-Type: application/json';

function request(first: string, headers: readonly string[], body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

function fetchOf(body: Buffer, more: readonly string[] = []): Buffer {
  const headers = ['Host: x', JSON_TYPE, ...CREDENTIALS, `Content-Length: ${body.length}`, ...more];
  return request(FETCH, headers, body);
}

/** Encodes a body in chunks of random size, sometimes with extensions and trailers. */
function chunked(body: Buffer, random: Random): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random(random(4) === 0 ? 4 : 400));
    const extension = random(20) === 0 ? pick([';a=b', ';x', ';a="b c"'], random) : '';
    chunks.push(Buffer.from(`${size.toString(16)}${extension}\r\n`), body.subarray(at, at + size), CRLF);
    at += size;
  }
  return Buffer.concat([
    ...chunks,
    Buffer.from(random(20) === 0 ? '0\r\nX-Trailer: 1\r\n\r\n' : '0\r\n\r\n'),
  ]);
}

const CRLF = Buffer.from('\r\n');

/**
 * Requests that try request smuggling: two HTTP servers in a row, such as a proxy and the gateway, could interpret each
 * of these requests differently (RFC 9112, section 11.2).
 */
const SMUGGLING: readonly string[] = [
  `${FETCH}\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nabcde`,
  `${FETCH}\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde`,
  `${FETCH}\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde`,
  `${FETCH}\r\nHost: x\r\nContent-Length: 5 5\r\n\r\nabcde`,
  `${FETCH}\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nContent-Length:\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nX: a\r\n b\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n`,
  `${FETCH}\nHost: x\nContent-Length: 0\n\n`,
  `${FETCH}\r\nHost: x\nContent-Length: 0\r\n\r\n`,
  `${FETCH}\rHost: x\r\r`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;${'a'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\nabcde\n0\n\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nabcde\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n0\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdeGET / HTTP/1.1\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
  'POST /v1/post/fetch HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  `${GAMES}\r\nHost: x\r\nHost: y\r\n\r\n`,
  `${GAMES}\r\nhost: x\r\nHOST: x\r\n\r\n`,
  `${GAMES}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /`,
  `${GAMES}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  `${GAMES}\r\nHost : x\r\n\r\n`,
  `${GAMES}\r\n: x\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX Y: z\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX\x00Y: z\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX: a\x00b\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX: a\x7fb\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nContent-Length\r\n\r\n`,
];

/** Requests with unusual request lines, targets, versions or headers, or with extremely large headers. */
const UNUSUAL: readonly string[] = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `${GAMES}\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  'TRACE /v1/get/games HTTP/1.1\r\nHost: x\r\nX-Secret: 1\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT /v1/post/fetch HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS /v1/post/fetch HTTP/1.1\r\nHost: x\r\nOrigin: null\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  'HEAD /v1/get/games HTTP/1.1\r\nHost: x\r\n\r\n',
  'DELETE /v1/get/games HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
  'BREW /v1/get/games HTTP/1.1\r\nHost: x\r\n\r\n',
  'get /v1/get/games HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://x/v1/get/games HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET https://user:pass@[::1]:1/v1/get/games?a#b HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET http:// HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET x:443 HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET //x/v1/get/games HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /v1/get/games/../games HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /v1/%67et/games HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /%ff%00%zz HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /\xff\xfe HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /__proto__ HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET  /v1/get/games  HTTP/1.1\r\nHost: y\r\n\r\n',
  'GET /v1/get/games\r\n\r\n',
  'GET /v1/get/games HTTP/1.0\r\n\r\n',
  'GET /v1/get/games HTTP/0.9\r\nHost: x\r\n\r\n',
  'GET /v1/get/games HTTP/1.2\r\nHost: x\r\n\r\n',
  'GET /v1/get/games HTTP/3.0\r\nHost: x\r\n\r\n',
  'GET /v1/get/games HTTPS/1.1\r\nHost: x\r\n\r\n',
  '\r\n\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-OpenSSH_9.2\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /?${'a=b&'.repeat(3_500)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\n${'a:\r\n'.repeat(3_000)}\r\n`,
  `${GAMES}\r\nHost: x\r\n${'X: y\r\n'.repeat(97)}\r\n`,
  `${GAMES}\r\nHost: x\r\nAccept-Encoding: ${'gzip;q=0.5,'.repeat(1_000)}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nIf-None-Match: ${'"'.repeat(10_000)}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nIf-Modified-Since: ${'9'.repeat(5_000)}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX-Request-Id: a\tb\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX-Request-Id: <script>\r\nX-Request-Id: two\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nExpect: 100-continue\r\n\r\n`,
  `${FETCH}\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `${FETCH}\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}`,
  `${GAMES}\r\nHost: x\r\nRange: bytes=0-0,-1\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nX-Forwarded-For: ${'1.2.3.4, '.repeat(1_500)}\r\n\r\n`,
  `${GAMES}\r\nHost: x\r\nOrigin: ${'http://'.repeat(1_000)}\r\n\r\n`,
];

/** Names of headers that the gateway reads. The fuzzer combines them with the values of HEADER_VALUES. */
const HEADERS = [
  'Content-Type',
  'Content-Encoding',
  'Content-Length',
  'Transfer-Encoding',
  'Accept-Encoding',
  'X-API-Token',
  'X-API-Token-Type',
  'X-API-Token-Email',
  'X-Request-Id',
  'X-Forwarded-For',
  'If-None-Match',
  'Origin',
  'Referer',
  'Host',
  'Connection',
  'Expect',
  'Upgrade',
];
const HEADER_VALUES = [
  '',
  ' ',
  '*',
  ',',
  ';',
  '"',
  '0',
  '-1',
  'identity',
  'gzip',
  'br',
  'deflate',
  'zstd',
  'gzip, gzip',
  'chunked',
  'close',
  'keep-alive',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;charset="utf-8"',
  'application/json, text/plain',
  'null',
  '__proto__',
  'W/"x"',
  'http://[',
  '\xff\xfe',
  'a'.repeat(2_000),
  '%s%n',
  "' OR 1=1 --",
];

function bomb(random: Random): HttpCase {
  const [coding, bytes] = pick(BOMBS, random);
  return { name: `bomb ${coding}`, bytes: fetchOf(bytes, [`Content-Encoding: ${coding}`]) };
}

const zeros = Buffer.alloc(64 * 1024 * 1024, ' ');
const BOMBS: readonly (readonly [string, Buffer])[] = [
  ['gzip', gzipSync(zeros)],
  ['deflate', deflateSync(zeros)],
  // A gzip body of 2,000 members. A reader that stops after the first member misses the other members.
  ['gzip', Buffer.concat(Array.from({ length: 2_000 }, () => gzipSync(Buffer.alloc(1024, ' '))))],
  ['gzip', gzipSync(gzipSync(zeros))],
  ['br', Buffer.alloc(1000, 0xff)],
  ['gzip', gzipSync(zeros).subarray(0, 30_000)],
];

function coded(random: Random): HttpCase {
  const body = fetchBody(random);
  const [coding, encode] = pick([['gzip', gzipSync] as const, ['deflate', deflateSync] as const], random);
  const whole = encode(body);
  if (random(2) === 0) {
    const bytes = fetchOf(whole, [`Content-Encoding: ${coding}`]);
    return { name: 'compressed', bytes, expected: expectedOf(body) };
  }
  const broken = mutate(Buffer.from(whole), random);
  return { name: 'compressed, broken', bytes: fetchOf(broken, [`Content-Encoding: ${coding}`]) };
}

function meddledHeaders(random: Random): HttpCase {
  const body = random(2) === 0 ? fetchBody(random) : Buffer.alloc(0);
  const headers = ['Host: x', JSON_TYPE, ...CREDENTIALS];
  if (body.length > 0) headers.push(`Content-Length: ${body.length}`);
  for (let i = random(3); i >= 0; i--) {
    const header = `${pick(HEADERS, random)}: ${pick(HEADER_VALUES, random)}`;
    const at = random(headers.length + 1);
    headers.splice(at, random(2), header);
  }
  const first = pick([FETCH, FETCH, GAMES, 'PUT /v1/post/fetch HTTP/1.1', 'GET /nowhere HTTP/1.1'], random);
  return { name: 'headers', bytes: request(first, headers, body) };
}

const whole = (random: Random): Buffer =>
  random(3) === 0
    ? request(GAMES, ['Host: x', 'Accept-Encoding: gzip', 'If-None-Match: "x"'])
    : fetchOf(Buffer.from('{"servers":[{"game_id":"nogame","servers":["192.0.2.1:27015"]}]}'));

/** Returns a random request. Most of these requests are invalid. */
export function httpCase(random: Random): HttpCase {
  const kind = random(100);
  if (kind < 25) {
    const body = fetchBody(random);
    return { name: 'body', bytes: fetchOf(body), expected: expectedOf(body) };
  }
  if (kind < 45) {
    const body = brokenBody(random);
    return { name: 'broken body', bytes: fetchOf(body), expected: expectedOf(body) };
  }
  if (kind < 70) return { name: 'broken bytes', bytes: mutate(whole(random), random) };
  if (kind < 80) return meddledHeaders(random);
  if (kind < 86) {
    const body = fetchBody(random);
    const headers = ['Host: x', JSON_TYPE, ...CREDENTIALS, 'Transfer-Encoding: chunked'];
    const bytes = request(FETCH, headers, chunked(body, random));
    return { name: 'chunked', bytes, expected: expectedOf(body) };
  }
  if (kind < 90) return coded(random);
  const listed = random(2) === 0 ? pick(SMUGGLING, random) : pick(UNUSUAL, random);
  const bytes = Buffer.from(listed, 'latin1');
  return { name: 'listed', bytes: random(3) === 0 ? mutate(bytes, random) : bytes };
}

/**
 * Returns one case for each request in the lists SMUGGLING and UNUSUAL, one case for each extreme body, one case with a
 * text body, and several with a compressed body that expands to a huge size.
 */
export function listedCases(random: Random): HttpCase[] {
  return [
    ...[...SMUGGLING, ...UNUSUAL].map(text => ({
      name: text.slice(0, 100),
      bytes: Buffer.from(text, 'latin1'),
    })),
    ...extremeBodies.map((body, i) => ({
      name: `extreme body ${i}`,
      bytes: fetchOf(body),
      expected: expectedOf(body),
    })),
    {
      name: 'a body of another type',
      bytes: request(
        FETCH,
        ['Host: x', 'Content-Type: text/plain', ...CREDENTIALS, 'Content-Length: 2'],
        Buffer.from('{}'),
      ),
    },
    ...Array.from({ length: 3 * BOMBS.length }, () => bomb(random)),
  ];
}
