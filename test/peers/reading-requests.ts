import { ADDRESS } from '../contract/probed-server.ts';
import type { Question } from '../gateway/ask.ts';
import { credentials } from './callers.ts';
import type { ServerName } from './transcoder-requests.ts';

/** REST path of the game server that gsq tracks in these tests. */
export const SERVER = `/v1/servers/csgo/${ADDRESS}`;

/** Returns a request with the bootstrap token of the test stack. */
export function readingOf(path: string, changes: Question = {}): Question {
  return { path, ...changes, headers: { ...credentials, ...changes.headers } };
}

/** Returns a request that registers a webhook. */
export function registrationOf(body: string, path = '/v1/webhooks'): Question {
  return readingOf(path, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
}

/** Body of a request that registers a webhook. gsq accepts this body. */
export const validWebhook = JSON.stringify({
  url: 'https://hooks.example/path',
  servers: [{ game_id: 'csgo', servers: [ADDRESS] }],
  events: [
    { event: 'offline', for: '3m' },
    { event: 'players_over', players: 3 },
  ],
});

/** Requests to all read-only REST paths of gsq. Some requests have query parameters. */
export const readablePaths = [
  '/v1/servers',
  '/v1/servers?game=csgo&status=offline&q=tests+a&sort=-name&page_size=1&map=de_dust2&password=false',
  '/v1/servers?players_min=1',
  SERVER,
  SERVER.replace(':', '%3A'),
  `${SERVER}/history`,
  `${SERVER}/history?step=60s&from=2026-01-02T04:00:00%2B01:00&to=2026-01-02T03:10:00.5Z`,
  `${SERVER}/history?step=1h`,
  `${SERVER}/uptime`,
  `${SERVER}/uptime?window=1h,7d`,
  `${SERVER}/incidents`,
  `${SERVER}/incidents?page_size=1`,
  '/v1/summary',
  '/v1/summary?game=csgo',
  '/v1/webhooks',
];

/** Requests that the core refuses, each with the HTTP status and the error code of the answer. */
export const refusals: readonly [string, Question][] = [
  ['401 AUTH_1', { path: '/v1/summary' }],
  ['400 QUERY_1', readingOf('/v1/servers?status=sleeping')],
  ['404 SERVER_1', readingOf('/v1/servers/no-game/127.0.0.1:27015')],
  ['404 SERVER_1', readingOf('/v1/servers/csgo/[2001:db8::1]:28015')],
  ['404 SERVER_1', readingOf('/v1/servers/csgo/%5B2001:db8::1%5D:28015/history')],
  ['400 QUERY_1', readingOf(`${SERVER}/history?step=1s`)],
  ['400 QUERY_1', readingOf(`${SERVER}/uptime?window=1y`)],
  ['400 QUERY_1', readingOf(`${SERVER}/incidents?page_token=x`)],
  ['404 HOOK_1', readingOf('/v1/webhooks/hook_0', { method: 'DELETE' })],
  ['404 HOOK_1', readingOf('/v1/webhooks/hook_0/deliveries')],
  ['404 HOOK_1', registrationOf('{}', '/v1/webhooks/hook_0/test')],
  ['400 POST_2', registrationOf('{}')],
];

/**
 * Requests that Envoy and grpc-gateway can answer differently than gsq's own gateway (docs/grpc.md). Each entry:
 * description, request, and expected HTTP status and error code of each server.
 */
export const readingDifferences: readonly [string, Question, Record<ServerName, string>][] = [
  [
    'an unknown parameter',
    readingOf('/v1/servers?gane=csgo'),
    { gateway: '400 QUERY_1', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a parameter with the JSON name of its field',
    readingOf('/v1/servers?pageSize=1'),
    { gateway: '400 QUERY_1', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a parameter that occurs twice',
    readingOf('/v1/servers?page_size=1&page_size=2'),
    { gateway: '400 QUERY_1', envoy: '200', 'grpc-gateway': '400' },
  ],
  [
    'a number that is not valid',
    readingOf('/v1/servers?page_size=many'),
    { gateway: '400 QUERY_1', envoy: '400 QUERY_1', 'grpc-gateway': '400' },
  ],
  [
    'a time that is not valid',
    readingOf(`${SERVER}/history?from=yesterday`),
    { gateway: '400 QUERY_1', envoy: '400 QUERY_1', 'grpc-gateway': '400' },
  ],
  [
    'a truth value other than true and false',
    readingOf('/v1/servers?password=1'),
    { gateway: '400 QUERY_1', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a wrong method',
    readingOf('/v1/summary', { method: 'DELETE' }),
    { gateway: '405 ROUTE_2', envoy: '404 ROUTE_1', 'grpc-gateway': '501' },
  ],
  [
    'a path with a slash at its end',
    readingOf('/v1/summary/'),
    { gateway: '404 ROUTE_1', envoy: '200', 'grpc-gateway': '404' },
  ],
  [
    'the header If-None-Match',
    readingOf('/v1/summary', { headers: { 'If-None-Match': '*' } }),
    { gateway: '304', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'an unknown key in the registration of a webhook',
    registrationOf(validWebhook.replace('{', '{"nothing":1,')),
    { gateway: '400 POST_2', envoy: '200', 'grpc-gateway': '200' },
  ],
  [
    'a registration of a webhook that has wrong types',
    registrationOf('{"url":3}'),
    { gateway: '400 POST_2', envoy: '400 POST_2', 'grpc-gateway': '400' },
  ],
];
