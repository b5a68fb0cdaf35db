import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InProcess, startInProcess } from '../contract/in-process.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { fuzzGrpc } from './fuzz-grpc.ts';
import { fuzzHttp } from './fuzz-http.ts';
import { fuzzSettings } from './fuzzed-service.ts';
import { checkAnswer, checkExpected, expectedOf } from './http-answers.ts';

/**
 * Number of fuzzed HTTP requests, small enough for a test that takes some seconds. `npm run fuzz` sends many more
 * requests.
 */
const REQUESTS = 1_500;
const CALLS = 400;

describe('if gsq gets random requests and calls, most of them invalid', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess(fuzzSettings);
  });
  after(() => service.stop());

  test('each HTTP request gets a documented response that matches the request', async () => {
    const random = randomNumbers(1);
    const { requests, answers } = await fuzzHttp({ address: service.http, random, requests: REQUESTS });
    assert.equal(requests, REQUESTS);
    for (const status of ['200', '400', '401', '404', '405', '413', '415', '431'])
      assert.ok(answers[status], `none was answered with ${status}`);
  });

  test('each gRPC call gets a documented status, and the internal port rejects a call without its secret', async () => {
    const { grpc: address, internal } = service;
    const { answers } = await fuzzGrpc({ address, internal, random: randomNumbers(1), calls: CALLS });
    for (const name of ['OK', 'AUTH_5', 'INTERNAL', 'GRPC_1', 'GRPC_2', 'ROUTE_1', 'POST_5', '415'])
      assert.ok(answers[name], `none was answered with ${name}`);
  });
});

describe('the checker of responses to fuzzed requests', () => {
  const id = 'an-id';
  const headers = new Map([
    ['x-request-id', id],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
    ['content-type', 'application/json; charset=utf-8'],
  ]);
  const answer = (status: number, json: object, change: [string, string][] = []) => ({
    status,
    headers: new Map([...headers, ...change]),
    body: Buffer.from(JSON.stringify(json)),
  });
  const fault = { error: 'POST_2', message: 'No.', request_id: id };

  test('accepts correct responses', () => {
    checkAnswer(answer(400, fault), '[]');
    checkAnswer(answer(200, { 'x:1': { _updater: { status: 'invalid' } }, _meta: {} }), '[]');
  });

  test('accepts a JSON key that consists of one escaped character, such as a newline', () => {
    const invalid = { _updater: { status: 'invalid' } };
    for (const address of ['\\', '\0', '"', '\n']) {
      const expected = { status: 200, addresses: new Set(['x:1', address]) } as const;
      checkExpected(answer(200, { 'x:1': invalid, [address]: invalid, _meta: {} }), expected);
    }
  });

  for (const [defect, wrong] of [
    ['an unknown code', answer(400, { ...fault, error: 'POST_99' })],
    ['a code with the HTTP status of another code', answer(401, fault)],
    ['an internal error', answer(500, { ...fault, error: 'INTERNAL_1' })],
    ['a stack trace', answer(400, { ...fault, message: 'at /x/node_modules/y' })],
    ["another request's id", answer(400, { ...fault, request_id: 'other' })],
    ['a header that contains the name of the server software', answer(400, fault, [['server', 'x']])],
    ['a content type that browsers can guess', answer(400, fault, [['x-content-type-options', '']])],
    [
      'a server that was not requested',
      answer(200, { 'x:1': { _updater: { status: 'online' } }, _meta: {} }),
    ],
  ] as const) {
    test(`rejects a response with ${defect}`, () => assert.throws(() => checkAnswer(wrong, '[]')));
  }

  test('computes the expected status and addresses from the body of a fetch', () => {
    const of = (text: string) => expectedOf(Buffer.from(text));
    assert.deepEqual(of('{"servers":[{"game_id":"x","servers":["a","a","b"]}]}'), {
      status: 200,
      addresses: new Set(['a', 'b']),
    });
    assert.deepEqual(of('{"__proto__":{"servers":[]}}'), { status: 400, code: 'POST_2' });
    assert.deepEqual(of('{"servers":[{"game_id":"x","servers":["\\ud800"]}]}'), {
      status: 400,
      code: 'POST_2',
    });
    const many = JSON.stringify({ servers: [{ game_id: 'x', servers: new Array(1001).fill('a') }] });
    assert.deepEqual(of(many), { status: 400, code: 'POST_3' });
  });
});
