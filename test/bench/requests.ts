import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { credentialHeaders } from './service.ts';
import { addressAt, gameAt, games } from './tracked-servers.ts';

/**
 * Describes the HTTP requests that a load generator sends. Each request string is a complete HTTP request in ASCII:
 * request line, headers and body.
 */
export type LoadRequests =
  /** One HTTP request, which the load generator sends again and again. */
  | { kind: 'same'; request: string }
  /** HTTP requests that the load generator chooses at random from a list. */
  | { kind: 'any'; requests: readonly string[] }
  /** Each request fetches one server, chosen at random among the tracked servers 0 to `servers` - 1. */
  | { kind: 'tracked'; servers: number }
  /**
   * Requests for servers that were never fetched before. The addresses are generated from consecutive indexes,
   * beginning with `first`. `requests`: number of requests. `each`: number of addresses in each request.
   */
  | { kind: 'new'; first: number; requests: number; each: number };

/**
 * Start of a fetch request: the request line and all headers. The last header is Content-Length, and its value is
 * missing.
 */
export const fetchHead = [
  'POST /v1/post/fetch HTTP/1.1',
  'Host: bench',
  'Accept-Encoding: gzip',
  'Content-Type: application/json',
  ...Object.entries(credentialHeaders).map(([name, value]) => `${name}: ${value}`),
  'Content-Length: ',
].join('\r\n');

export const catalogRequest = 'GET /v1/get/games HTTP/1.1\r\nHost: bench\r\nAccept-Encoding: gzip\r\n\r\n';

/**
 * Builds a request that searches the tracked servers. `query`: query string of GET /v1/servers, with its question mark,
 * or empty.
 */
export function searchRequest(query: string): string {
  const lines = [`GET /v1/servers${query} HTTP/1.1`, 'Host: bench', 'Accept-Encoding: gzip'];
  for (const [name, value] of Object.entries(credentialHeaders)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Builds a request for a page or an image, as a reverse proxy would forward it for a caller. */
export function pageRequest(path: string, caller: string): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Accept-Encoding: gzip',
    `X-Forwarded-For: ${caller}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Builds a request that fetches the servers with these indexes. The request body has one group of addresses for each
 * game.
 */
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
 * Returns a function that builds one request at each call, and returns undefined after the last request. `below(n)`
 * must return a random integer from 0 to n - 1.
 */
export function requestsOf(load: LoadRequests, below: (below: number) => number): () => string | undefined {
  if (load.kind === 'same') return () => load.request;
  if (load.kind === 'any') return () => load.requests[below(load.requests.length)];
  if (load.kind === 'tracked') {
    // Builds the request text only once for each game, and then only replaces the address in it. All addresses have
    // the same length, so Content-Length stays right.
    const segments = games.map((_, game) => fetchRequest([game]).split(addressAt(game)));
    return () => {
      const index = below(load.servers);
      const [before, after] = segments[index % games.length] ?? [];
      return before + addressAt(index) + after;
    };
  }
  let made = 0;
  return () => {
    if (made === load.requests) return undefined;
    return fetchRequest(newIndexes(load.first + made++ * load.each, load.each));
  };
}

/**
 * Sends a request. Resolves to the response body as received, without decompression. Rejects if the status is not 200.
 */
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

/** Fetches the servers with these indexes over REST. Resolves to their payloads, in the order of the indexes. */
export async function fetchedPayloads(address: string, indexes: readonly number[]): Promise<unknown[]> {
  const body = JSON.parse(gunzipSync(await wireBody(address, fetchRequest(indexes))).toString());
  return indexes.map(index => body[addressAt(index)]);
}
