import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type { ReasonCode } from '../../proto/reasons.ts';
import { type Answer, ask, type Question } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';

export interface Credentials {
  token: string;
  tier: string;
  email: string;
}

export interface Group {
  game_id: string;
  servers: string[];
}

/** The `_updater` object of a server in a REST answer: the status of the server, and the times of its probes. */
export interface RestUpdater {
  status: string;
  firewall_interval_minutes: number;
  firewall_label: string;
  next_probe_at: string | null;
  last_probe_at: string | null;
  last_online_at: string | null;
  /** The reason why the status is `offline` or `pending`. Absent if the status is `online` or `invalid`. */
  reason?: string;
}

/** The `_updater` object of an invalid address in a REST answer. All its times are null. */
export const invalidUpdater: RestUpdater = {
  status: 'invalid',
  firewall_interval_minutes: 0,
  firewall_label: 'none',
  next_probe_at: null,
  last_probe_at: null,
  last_online_at: null,
};

/** A server in the answer to a fetch: its payload (reported data), or a message if gsq has no payload of the server. */
export interface RestServer {
  name?: string;
  players?: number;
  updated?: string;
  message?: string;
  _updater: RestUpdater;
  _stale?: { reason: string; age_seconds: number; threshold_seconds: number; last_success_at: string };
}

export interface RestRef {
  game_id: string;
  server: string;
}

export interface RestMeta {
  auto_inserted: number;
  inserted_servers: RestRef[];
  invalid_servers: (RestRef & { reason: string; message: string })[];
  duplicate_servers?: RestRef[];
}

export const FETCH = '/v1/post/fetch';
export const GAMES = '/v1/get/games';

export function credentialHeaders({ token, tier, email }: Credentials): Record<string, string> {
  return { 'X-API-Token': token, 'X-API-Token-Type': tier, 'X-API-Token-Email': email };
}

/** Sends a request to the fetch endpoint. By default, the request has the bootstrap token of the test stack. */
export function post(http: string, question: Question): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    ...credentialHeaders(bootstrap),
    ...question.headers,
  };
  return ask(http, { method: 'POST', path: FETCH, ...question, headers });
}

/** Sends a fetch over REST. Each element of `servers` contains a game id and the addresses of servers of this game. */
export function postFetch(
  http: string,
  servers: Group[],
  headers: OutgoingHttpHeaders = {},
): Promise<Answer> {
  return post(http, { body: JSON.stringify({ servers }), headers });
}

/**
 * Fetches one game server over REST. Returns the JSON object of this server. Fails if the status is not 200 or the
 * answer lacks the server.
 */
export async function fetchOne(http: string, gameId: string, address: string): Promise<RestServer> {
  return serverIn(await postFetch(http, [{ game_id: gameId, servers: [address] }]), address);
}

/** Returns the server with this address from an answer. Fails if the status is not 200 or the server is missing. */
export function serverIn(answer: Answer, address: string): RestServer {
  assert.equal(answer.status, 200, answer.text);
  assert.ok(Object.hasOwn(answer.json, address), `no key ${address} in ${answer.text}`);
  return answer.json[address] as RestServer;
}

export function metaIn(answer: Answer): RestMeta {
  assert.equal(answer.status, 200, answer.text);
  return answer.json._meta as RestMeta;
}

/** Returns all keys of an answer in the order of the JSON text. Fails unless the answer has status 200. */
export function keysIn(answer: Answer): string[] {
  assert.equal(answer.status, 200, answer.text);
  return Object.keys(answer.json);
}

/** Checks an error answer against the contract: status, error code, headers and message. */
export function assertError(answer: Answer, status: number, code: ReasonCode): void {
  const { headers, json } = answer;
  assert.equal(`${answer.status} ${json.error}`, `${status} ${code}`, answer.text);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['content-encoding'], 'gzip');
  assert.equal(headers.vary, 'Accept-Encoding');
  assert.equal(typeof json.message, 'string');
  assert.notEqual(json.message, '');
  assert.doesNotMatch(answer.text, /node_modules|\.ts:\d|\n\s+at |127\.0\.0\.1:\d/);
}
