import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { credentialHeaders } from './service.ts';
import { addressAt, gameAt, games } from './tracked-servers.ts';

/** The HTTP requests of a load, each a complete request in ASCII. */
export type Asking =
  /** The same request every time. */
  | { kind: 'same'; request: string }
  /** A random request of a list. */
  | { kind: 'any'; requests: readonly string[] }
  /** A request for one random server among the tracked servers 0 to servers - 1. */
  | { kind: 'tracked'; servers: number }
  /**
   * Requests for servers never fetched before, with `each` new addresses in each request, starting at index
   * `first`. `requests` is the number of requests.
   */
  | { kind: 'new'; first: number; requests: number; each: number };

/** Head of a fetch request without the Content-Length value. */
export const fetchHead = [
  'POST /v1/post/fetch HTTP/1.1',
  'Host: bench',
  'Accept-Encoding: gzip',
  'Content-Type: application/json',
  ...Object.entries(credentialHeaders).map(([name, value]) => `${name}: ${value}`),
  'Content-Length: ',
].join('\r\n');

export const catalogRequest = 'GET /v1/get/games HTTP/1.1\r\nHost: bench\r\nAccept-Encoding: gzip\r\n\r\n';

/** Builds a request that fetches servers by index, with one group for each game. */
export function fetchRequest(indexes: readonly number[]): string {
  const groups = new Map<string, string[]>();
  for (const index of indexes) {
    const game = gameAt(index);
    const group = groups.get(game);
    if (group) group.push(addressAt(index));
    else groups.set(game, [addressAt(index)]);
  }
  const body = JSON.stringify({
    servers: Array.from(groups, ([game_id, servers]) => ({ game_id, servers })),
  });
  return `${fetchHead}${body.length}\r\n\r\n${body}`;
}

const newIndexes = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/**
 * Returns a function that builds the next request, or undefined after the last one. `below(n)` returns a
 * random integer in [0, n).
 */
export function requestsOf(asking: Asking, below: (below: number) => number): () => string | undefined {
  if (asking.kind === 'same') return () => asking.request;
  if (asking.kind === 'any') return () => asking.requests[below(asking.requests.length)];
  if (asking.kind === 'tracked') {
    // All requests for one game have the same bytes except the address, because all addresses have the same
    // length.
    const segments = games.map((_, game) => fetchRequest([game]).split(addressAt(game)));
    return () => {
      const index = below(asking.servers);
      const [before, after] = segments[index % games.length] ?? [];
      return before + addressAt(index) + after;
    };
  }
  let made = 0;
  return () => {
    if (made === asking.requests) return undefined;
    return fetchRequest(newIndexes(asking.first + made++ * asking.each, asking.each));
  };
}

/** Sends a request and returns the response body as sent over the wire. Rejects if the status is not 200. */
export async function wireBody(address: string, request: string): Promise<Buffer> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host, () => socket.write(request));
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) continue;
    const head = bytes.toString('latin1', 0, headEnd);
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`answered ${head.split('\r\n', 1)[0]}`);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (bytes.length >= headEnd + 4 + length) return bytes.subarray(headEnd + 4);
  }
  throw new Error('the connection ended before the answer did');
}

/** Fetches servers by REST and returns the payload of each. */
export async function fetchedPayloads(address: string, indexes: readonly number[]): Promise<unknown[]> {
  const body = JSON.parse(gunzipSync(await wireBody(address, fetchRequest(indexes))).toString());
  return indexes.map(index => body[addressAt(index)]);
}
