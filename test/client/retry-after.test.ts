import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { errorOf } from '../../client/errors.ts';
import { Http, pause } from '../../client/http.ts';

const NOW = Date.parse('2026-12-01T08:00:00.400Z');

/** Returns the seconds that an error reports for an answer with the given header `Retry-After`. */
function secondsOf(retryAfter: string): number | undefined {
  const response = { status: 503, headers: new Headers({ 'Retry-After': retryAfter }) };
  return errorOf(response, undefined, NOW).retryAfterSeconds;
}

describe('RestError.retryAfterSeconds', () => {
  test('is the number of seconds in `Retry-After`', () => {
    assert.deepEqual(['0', '5', ' 86400 '].map(secondsOf), [0, 5, 86_400]);
  });

  test('is the time until an HTTP date in any of its three forms, in whole seconds', () => {
    const dates = [
      'Tue, 01 Dec 2026 08:00:05 GMT',
      'Tuesday, 01-Dec-26 08:00:05 GMT',
      'Tue Dec  1 08:00:05 2026',
    ];
    assert.deepEqual(dates.map(secondsOf), [5, 5, 5]);
  });

  test('is 0 if the HTTP date has passed', () => {
    assert.equal(secondsOf('Tue, 01 Dec 2026 07:00:00 GMT'), 0);
  });

  test('is undefined if `Retry-After` is absent, empty, or neither a number of seconds nor a date', () => {
    const values = ['', 'soon', '-5', '1.5', '1e3', '0x10', '2026-12-01', 'Tue, 99 Dec 2026 08:00:05 GMT'];
    assert.deepEqual(
      values.map(secondsOf),
      values.map(() => undefined),
    );
    assert.equal(errorOf({ status: 503, headers: new Headers() }, undefined).retryAfterSeconds, undefined);
  });
});

test('a request is sent again if a proxy answers with an HTTP date in `Retry-After`', async t => {
  let requests = 0;
  const proxy = createServer((_request, response) => {
    if (++requests > 1) response.end('{}');
    else response.writeHead(503, { 'Retry-After': 'Tue, 01 Dec 2020 08:00:00 GMT' }).end('<html>');
  });
  t.after(() => proxy.close());
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  assert.deepEqual(await new Http({ baseUrl: `http://127.0.0.1:${port}` }).json({ path: '/' }), {});
  assert.equal(requests, 2);
});

test('a wait of 30 days does not end immediately, although a JavaScript timer cannot be longer than 25 days', t => {
  const stop = new AbortController();
  const setTimer = t.mock.method(globalThis, 'setTimeout');
  const waiting = pause(30 * 86_400_000, stop.signal);
  assert.equal(setTimer.mock.calls[0]?.arguments[1], 2 ** 31 - 1);
  stop.abort(new Error('enough'));
  return assert.rejects(waiting, /enough/);
});
