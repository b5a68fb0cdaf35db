import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpJsonExchange } from '../../../prober/protocols/http-json.ts';
import type { Step } from '../../../prober/protocols/protocol.ts';
import { CONTEXT, statusOf } from './exchange.ts';

const open = () => new HttpJsonExchange(CONTEXT, '/info', document => ({ name: JSON.stringify(document) }));
const HEAD = 'HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: : 9\r\n\r\n';
const receive = (text: string, exchange = open()): Step => exchange.receive(Buffer.from(text));

test('HTTP JSON: requests the path with HTTP/1.0, and sends the queried host and port in the Host header', () => {
  const [request, ...more] = open().request();
  assert.deepEqual(more, []);
  const [line, ...head] = String(request).split('\r\n');
  assert.equal(line, 'GET /info HTTP/1.0');
  assert.ok(head.includes('Host: play.example:25565'));
  assert.deepEqual(head.slice(-2), ['', '']);
  const [toIPv6] = new HttpJsonExchange({ ...CONTEXT, host: '2001:db8::1' }, '/', () => ({
    name: '',
  })).request();
  assert.match(String(toIPv6), /^Host: \[2001:db8::1\]:25565\r$/m);
});

test('HTTP JSON: reads a document in chunks of any size, and returns the status when the document is complete', () => {
  const whole = Buffer.from(`${HEAD}{"a":"\u00e9}"}`);
  for (const size of [1, 2, 3, 7, 1000]) {
    const exchange = open();
    const steps: Step[] = [];
    for (let at = 0; at < whole.length; at += size)
      steps.push(exchange.receive(whole.subarray(at, at + size)));
    const last = steps.pop();
    assert.ok(last && steps.every(step => step.kind === 'more'));
    assert.equal(statusOf(last).name, '{"a":"\u00e9}"}');
    assert.equal(exchange.partial(), undefined);
  }
});

test('HTTP JSON: HTTP 401 and 403 give `needs-credentials`, and 429 and 5xx give `directory-unavailable`', () => {
  const kindOf = (status: string): string => {
    const step = receive(`HTTP/1.1 ${status}\r\n\r\n<html>`);
    return step.kind === 'unknowable' ? step.answer.kind : step.kind;
  };
  for (const status of ['401 Unauthorized', '403 Forbidden'])
    assert.equal(kindOf(status), 'needs-credentials');
  for (const status of ['429 Too Many Requests', '500 Internal Server Error', '503 Service Unavailable'])
    assert.equal(kindOf(status), 'directory-unavailable');
  const date = 'Date: Wed, 21 Oct 2015 07:28:00 GMT';
  for (const [lines, wait] of [
    [['Server: x', 'retry-after:  120 '], 120_000],
    [[date, 'Retry-After: Wed, 21 Oct 2015 07:30:00 GMT'], 120_000],
    [['X-Retry-After: 120', 'Retry-After: soon'], undefined],
  ] as const) {
    const step = receive(['HTTP/1.0 503 Service Unavailable', ...lines, '', ''].join('\r\n'));
    assert.ok(step.kind === 'unknowable', step.kind);
    const answer = { kind: 'directory-unavailable', detail: 'HTTP 503' };
    assert.deepEqual(step.answer, wait === undefined ? answer : { ...answer, retryAfterMs: wait });
  }
});

test('HTTP JSON: rejects redirects, HTTP 404, replies in other protocols, chunked or too large replies, and invalid JSON', () => {
  for (const text of [
    'HTTP/1.1 404 Not Found\r\n\r\n{}',
    'HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\n\r\n{}',
    'HTTP/2 200\r\n\r\n{}',
    'SSH-2.0-OpenSSH\r\n\r\n{}',
    `${HEAD}9\r\n{"a":1}\r\n0\r\n\r\n`,
    `${HEAD}<html>`,
    `${HEAD}"text"`,
    `${HEAD}{"a":}`,
    `HTTP/1.1 200 OK\r\n${'x'.repeat(9000)}`,
    `${HEAD}[${' '.repeat(240 * 1024)}]`,
  ]) {
    assert.equal(receive(text).kind, 'malformed', text.slice(0, 60));
  }
});
