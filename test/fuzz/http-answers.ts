import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { isReasonCode, reasons } from '../../proto/reasons.ts';
import type { HttpAnswer } from './answer-reader.ts';

/**
 * The response that the gateway must send to a fetch: status 400 with an error code, or status 200 with an entry for
 * each server address in the request.
 */
export type Expected = { status: 400; code: 'POST_2' | 'POST_3' } | { status: 200; addresses: Set<string> };

const MAX_ADDRESSES = 1000;
const HTTP_STATUSES = [400, 408, 413, 431];
/** Matches internal details that no response is allowed to contain: file names, stack traces and internal addresses. */
const INSIDE = /node_modules|\.ts:\d|\n\s+at |127\.0\.0\.1:\d{4}/;

/**
 * Returns the response that the gateway must send to a fetch request with this body. This function uses JSON.parse, so
 * the test finds errors in the gateway's own scanner of bodies.
 */
export function expectedOf(body: Buffer): Expected {
  const wrong: Expected = { status: 400, code: 'POST_2' };
  if (!isUtf8(body)) return wrong;
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return wrong;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return wrong;
  const groups = Object.hasOwn(json, 'servers') ? (json as { servers: unknown }).servers : undefined;
  if (!Array.isArray(groups)) return wrong;
  const addresses: string[] = [];
  for (const group of groups) {
    if (typeof group !== 'object' || group === null || Array.isArray(group)) return wrong;
    const { game_id: gameId, servers }: { game_id?: unknown; servers?: unknown } = group;
    if (typeof gameId !== 'string' || !gameId.isWellFormed() || !Array.isArray(servers)) return wrong;
    for (const server of servers) {
      if (typeof server !== 'string' || !server.isWellFormed()) return wrong;
      addresses.push(server);
    }
  }
  if (addresses.length > MAX_ADDRESSES) return { status: 400, code: 'POST_3' };
  return { status: 200, addresses: new Set(addresses) };
}

function textOf({ headers, body }: HttpAnswer): string {
  const coding = headers.get('content-encoding');
  assert.ok(coding === undefined || coding === 'gzip', `Content-Encoding: ${coding}`);
  return (coding === 'gzip' && body.length > 0 ? gunzipSync(body) : body).toString('utf8');
}

function checkHeaders({ status, headers }: HttpAnswer): void {
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; frame-ancestors 'none'/);
  for (const name of ['server', 'x-powered-by', 'transfer-encoding', 'upgrade', 'set-cookie', 'location'])
    assert.equal(headers.get(name), undefined, name);
  if (status === 204 || status === 304) return;
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
}

/** Throws if a response does not match docs/errors.md and docs/rest.md. `games` is the JSON text of the catalog. */
export function checkAnswer(answer: HttpAnswer, games: string): void {
  const { status, headers } = answer;
  checkHeaders(answer);
  if (status === 304) return;
  const text = textOf(answer);
  // The body of a response is allowed to be empty, because the response to a HEAD request has no body.
  if (text === '') return;
  if (status === 200) {
    if (text === games) return;
    checkFetched(text);
    return;
  }
  const { error, message, request_id: id } = JSON.parse(text);
  assert.ok(typeof error === 'string' && isReasonCode(error), `an unknown error: ${text}`);
  assert.equal(typeof message, 'string');
  assert.notEqual(message, '');
  assert.doesNotMatch(text, INSIDE);
  assert.ok(status < 500, `${status}: ${text}`);
  if (error === 'HTTP_1') assert.ok(HTTP_STATUSES.includes(status), `${status} ${error}`);
  else assert.equal(status, reasons[error].http);
  if (error !== 'GET_1') assert.equal(id, headers.get('x-request-id'));
}

/**
 * Matches a string in JSON. Group 1 is the string without its closing quote. Group 2 is the colon after the string,
 * which exists only if the string is a key.
 */
const STRING = /("(?:[^"\\]|\\.)*)"(:?)/g;

/**
 * Parses JSON. Adds one character to each key before `JSON.parse`, and removes this character afterwards. Without this
 * character, `JSON.parse` of Node 24 can confuse the one-character keys `\n` and `\\`.
 */
function parseWithKeys(text: string) {
  const longer = text.replace(STRING, (_, string, colon) => (colon ? `${string}~":` : `${string}"`));
  return JSON.parse(longer, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.slice(0, -1), inner]))
      : value,
  );
}

/**
 * Checks the body of a fetch response with status 200. Returns the addresses in the body. Throws if the body is
 * invalid.
 */
function checkFetched(text: string): Set<string> {
  const answer = parseWithKeys(text);
  const keys = Object.keys(answer);
  assert.equal(keys.at(-1), '_meta');
  const addresses = keys.slice(0, -1);
  for (const address of addresses) {
    const { _updater: updater } = answer[address];
    assert.ok(['pending', 'invalid'].includes(updater.status), `${address}: ${JSON.stringify(updater)}`);
  }
  return new Set(addresses);
}

/** Compares a response to a fetch with the required response. Throws if they differ. */
export function checkExpected(answer: HttpAnswer, expected: Expected): void {
  const text = textOf(answer);
  if (expected.status === 200) {
    assert.equal(answer.status, 200, text);
    // A fetch request can contain the invalid server address `_meta`. The response has no entry for this address,
    // because the key `_meta` of the response contains metadata.
    const expectedAddresses = new Set([...expected.addresses].filter(address => address !== '_meta'));
    assert.deepEqual(checkFetched(text), expectedAddresses);
    return;
  }
  assert.equal(`${answer.status} ${JSON.parse(text).error}`, `${expected.status} ${expected.code}`, text);
}
