import { deflateSync, gzipSync } from 'node:zlib';
import { bootstrap } from '../system/stack-settings.ts';
import { brokenBody, extremeBodies, fetchBody, pick } from './fetch-bodies.ts';
import { FETCH, GAMES, SMUGGLING, UNUSUAL } from './fixed-requests.ts';
import { HEADER_VALUES, HEADERS } from './headers.ts';
import { type Expected, expectedOf } from './http-answers.ts';
import { mutate, type Random } from './mutations.ts';

/** One HTTP request as raw bytes. */
export interface HttpCase {
  name: string;
  bytes: Buffer;
  /**
   * The required response to the HTTP request. If it is undefined, the server can send any documented response, or
   * close the connection.
   */
  expected?: Expected;
}

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

/** Encodes an HTTP body in chunks of random size, sometimes with extensions and trailers. */
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

/** Returns a random HTTP request. Most of these requests are invalid. */
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
 * Returns cases from fixed lists: SMUGGLING, UNUSUAL, extreme bodies, a wrong content type, and compressed bodies that
 * expand to a huge size.
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
