import assert from 'node:assert/strict';
import { OTHERS, PIPELINED, PLAIN } from '../gateway/http/request-shapes.ts';
import { type ClientEnd, TwoReaders } from '../gateway/http/two-readers.ts';
import { pick } from './fetch-bodies.ts';
import { FETCH, GAMES, SMUGGLING, UNUSUAL } from './fixed-requests.ts';
import { loopbackAddress } from './http-connection.ts';
import { mutate, type Random } from './mutations.ts';

/** Result of a fuzz run that compares the fast HTTP parser with node:http. */
export interface ReadersFuzzResult {
  requests: number;
  /** Number of requests that the fast HTTP parser has read. */
  plain: number;
  connections: number;
  cuts: number;
  /** Number of HTTP answers, keyed by status line. */
  answers: Record<string, number>;
}

const CONNECTIONS = 16;
const MOST_CUTS = 3;
/**
 * Valid request that follows each random request. Its answer shows that the server found the end of the random request.
 * The server closes the connection after this answer.
 */
const LAST = 'GET /v1/get HTTP/1.1\r\nHost: x\r\nX-Request-Id: last\r\nConnection: close\r\n\r\n';

const buffersOf = (requests: readonly string[]): Buffer[] =>
  requests.map(request => Buffer.from(request, 'latin1'));
/** Valid requests that the fast HTTP parser reads. Half of the fuzzer's requests are copies of them, mostly mutated. */
const SIMPLE = buffersOf([...PLAIN, ...PIPELINED].map(([, request]) => request));
/**
 * Requests that the fast HTTP parser does not read, and unusual or invalid requests. HEAD requests are left out,
 * because their answers have a Content-Length but no body. The test would read the next answer as this body.
 */
const UNUSUAL_ONES = buffersOf([
  ...OTHERS.map(([, request]) => request),
  ...[...SMUGGLING, ...UNUSUAL]
    .filter(request => !request.startsWith('HEAD'))
    .map(request => request.replace(FETCH, 'POST /v1/post HTTP/1.1').replace(GAMES, 'GET /v1/get HTTP/1.1')),
]);

/** Splits the bytes of a request at random places. */
function cutAtRandom(bytes: Buffer, random: Random): Buffer[] {
  const places = Array.from({ length: random(MOST_CUTS + 1) }, () => random(bytes.length + 1));
  const bounds = [0, ...places.sort((a, b) => a - b), bytes.length];
  return bounds
    .slice(1)
    .map((end, i) => bytes.subarray(bounds[i], end))
    .filter(piece => piece.length > 0);
}

/**
 * Sends the same random requests to two servers, and rejects if their answers differ. One server uses the fast HTTP
 * parser, the other only node:http. The valid request `LAST` follows each random request.
 */
export async function fuzzReaders(random: Random, requests: number): Promise<ReadersFuzzResult> {
  const result: ReadersFuzzResult = { requests: 0, plain: 0, connections: 0, cuts: 0, answers: {} };
  const readers = await TwoReaders.start();

  async function compare(pieces: readonly Buffer[], end: ClientEnd): Promise<boolean> {
    result.connections += 2;
    const { plain, node } = await readers.answersOf(pieces, end, loopbackAddress());
    assert.deepEqual(plain, node);
    for (const { line } of node) result.answers[line] = (result.answers[line] ?? 0) + 1;
    return node.at(-1)?.body.includes('"last"') ?? false;
  }

  async function work(): Promise<void> {
    while (result.requests < requests) {
      result.requests++;
      const request = pick(random(2) === 0 ? SIMPLE : UNUSUAL_ONES, random);
      const sent = random(5) === 0 ? request : mutate(request, random);
      const pieces = cutAtRandom(Buffer.concat([sent, Buffer.from(LAST)]), random);
      result.cuts += pieces.length - 1;
      try {
        // Compares the answers of the two servers twice. In the first comparison, the client closes its side of the
        // connection after the last bytes. In the second one, it keeps its side open, so the server must close the
        // connection after its answer to `LAST`. If this answer was missing in the first comparison, there is no second
        // one, because the connection could stay open.
        if (await compare(pieces, 'with the last bytes')) await compare(pieces, 'never');
      } catch (cause) {
        const shown = pieces.map(piece => piece.subarray(0, 2000).toString('latin1'));
        throw new Error(`the readers differ: ${JSON.stringify(shown)}`, { cause });
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  } finally {
    result.plain = readers.post.plain + readers.get.plain;
    await readers.close();
  }
  return result;
}
