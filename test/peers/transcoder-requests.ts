import { gzipSync } from 'node:zlib';
import { bodyOf, validBody } from '../contract/fetch-requests.ts';
import { type Credentials, FETCH, GAMES } from '../contract/rest.ts';
import { createToken } from '../contract/tokens.ts';
import type { Question } from '../gateway/ask.ts';
import { credentials } from './callers.ts';

const MIB = 1024 * 1024;

/** The HTTP servers whose answers these tests compare: gsq's gateway, and two programs that translate REST to gRPC. */
export const serverNames = ['gateway', 'envoy', 'grpc-gateway'] as const;
export type ServerName = (typeof serverNames)[number];

/** Returns a fetch request with the bootstrap token of the test stack. `changes` replaces parts of this request. */
export function fetchOf(body: string | Buffer, changes: Question = {}): Question {
  const headers = { 'Content-Type': 'application/json', ...credentials, ...changes.headers };
  return { method: 'POST', path: FETCH, body, ...changes, headers };
}

/** Returns the HTTP request headers that contain these credentials. */
export const headersOf = ({ token, tier, email }: Credentials) => ({
  'x-api-token': token,
  'x-api-token-type': tier,
  'x-api-token-email': email,
});

/**
 * Requests that Envoy and grpc-gateway can answer differently than gsq's own gateway (docs/grpc.md). Each entry:
 * description, request, and expected HTTP status and error code of each server.
 */
export const differences: readonly [
  string,
  // Returns the request to send. `internal`: address of the core's internal port.
  (internal: string) => Question | Promise<Question>,
  Record<ServerName, string>,
][] = [
  [
    'a DELETE of the catalog',
    () => ({ method: 'DELETE', path: GAMES }),
    { gateway: '405 GET_1', envoy: '405 GET_1', 'grpc-gateway': '501' },
  ],
  [
    'a GET of the fetch path',
    () => ({ path: FETCH }),
    { gateway: '405 POST_1', envoy: '405 POST_1', 'grpc-gateway': '501' },
  ],
  [
    'an unknown path',
    () => ({ path: '/v1' }),
    { gateway: '404 ROUTE_1', envoy: '404 ROUTE_1', 'grpc-gateway': '404' },
  ],
  [
    'a path with a slash at its end',
    () => ({ path: `${GAMES}/` }),
    { gateway: '404 ROUTE_1', envoy: '200', 'grpc-gateway': '404' },
  ],
  [
    'the header If-None-Match',
    () => ({ path: GAMES, headers: { 'If-None-Match': '*' } }),
    { gateway: '304', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a Content-Type that is not JSON',
    () => fetchOf(validBody, { headers: { 'Content-Type': 'text/plain' } }),
    { gateway: '415 POST_4', envoy: '200', 'grpc-gateway': '200' },
  ],
  ['an empty body', () => fetchOf(''), { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '200' }],
  [
    'a body without the key servers',
    () => fetchOf('{"server":[]}'),
    { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'null instead of a list',
    () => fetchOf('{"servers":null}'),
    { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'null instead of a group',
    () => fetchOf('{"servers":[null]}'),
    { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '400' },
  ],
  [
    'the key gameId instead of game_id',
    () => fetchOf(validBody.replace('game_id', 'gameId')),
    { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a key that appears twice',
    () => fetchOf(validBody.replace('{', '{"servers":[],')),
    { gateway: '200', envoy: '200', 'grpc-gateway': '400' },
  ],
  [
    'a body that begins with a byte order mark',
    () => fetchOf(`\ufeff${validBody}`),
    { gateway: '200', envoy: '400 POST_2', 'grpc-gateway': '400' },
  ],
  [
    'a body that is compressed',
    () => fetchOf(gzipSync(validBody), { headers: { 'Content-Encoding': 'gzip' } }),
    { gateway: '200', envoy: '400 POST_2', 'grpc-gateway': '400' },
  ],
  [
    'a body that is larger than 1 MiB because of spaces',
    () => fetchOf(bodyOf(MIB + 1)),
    { gateway: '413 POST_5', envoy: '413 POST_5', 'grpc-gateway': '200' },
  ],
  [
    'a body that is not JSON, and no token',
    () => fetchOf('{', { headers: { 'x-api-token': '' } }),
    { gateway: '401 AUTH_1', envoy: '400 POST_2', 'grpc-gateway': '400' },
  ],
  [
    'an Origin in the domain allow-list of the token',
    async internal => {
      const token = await createToken(internal, { allowDomains: ['example.com'] });
      return fetchOf(validBody, { headers: { ...headersOf(token), Origin: 'https://example.com' } });
    },
    { gateway: '200', envoy: '403 AUTH_4', 'grpc-gateway': '403 AUTH_4' },
  ],
];
