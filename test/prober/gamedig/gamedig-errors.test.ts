import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readError } from '../../../prober/gamedig/result.ts';

test('the text of a gamedig error determines the kind of failure: `silent` (no reply), `malformed` (invalid reply) or `fault` (a problem of the prober)', () => {
  const failed = (message: string) => {
    const error = new Error('Failed all 1 attempts');
    error.stack += `\nAttempt #1 - Port=1 Retry=0:\n${message}\n    at somewhere`;
    return readError(error);
  };
  assert.deepEqual(failed('Error: UDP - Timed out after 2000ms'), {
    kind: 'silent',
    detail: 'Error: UDP - Timed out after 2000ms',
  });
  assert.equal(failed('Error: getaddrinfo ENOTFOUND api.example').kind, 'fault');
  assert.equal(failed('RangeError: Attempt to access memory outside buffer bounds').kind, 'malformed');
  assert.equal(readError('nonsense').kind, 'malformed');
});

test('the error code of a failed connection determines the kind of failure, even if the text of the gamedig error contradicts it', () => {
  const failed = (code: string, wasConnected = false, message = 'Error: TCP Connection Refused') =>
    readError(new Error(`Attempt #1 - Port=1 Retry=0:\n${message}\n    at somewhere`), {
      connection: { code, wasConnected },
    });
  for (const [code, kind] of [
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'refused'],
    ['EHOSTUNREACH', 'silent'],
    ['ETIMEDOUT', 'silent'],
  ] as const) {
    assert.deepEqual(failed(code), { kind, detail: code });
  }
  for (const code of ['ENETUNREACH', 'EMFILE', 'EADDRNOTAVAIL']) {
    assert.deepEqual(failed(code), { kind: 'fault', detail: `cannot connect: ${code}` });
  }
  assert.equal(readError(new Error('TCP Connection Refused')).kind, 'fault', 'nobody knows how');
  assert.equal(failed('EHOSTUNREACH', false, 'RequestError: connect EHOSTUNREACH').kind, 'silent');
  assert.equal(failed('ECONNRESET', true, 'Error: TCP - Timed out after 2000ms').kind, 'refused');
  assert.equal(failed('ERR_SSL_WRONG_VERSION', true, 'RequestError: bad record').kind, 'malformed');
  assert.equal(failed('ECONNRESET', true, 'HTTPError: Response code 401').kind, 'needs-credentials');
});

test('a server does not count as offline if its HTTP API is busy or refuses the credentials that gamedig sent', () => {
  const kindOf = (message: string) =>
    readError(new Error(`Attempt #1 - Port=1 Retry=0:\n${message}\n    at somewhere`)).kind;
  const refused = [
    'HTTPError: Response code 401 (Unauthorized)',
    'HTTPError: Response code 403 (Forbidden)',
    'Error: No token provided. You can get it from http://192.0.2.1:8080/settings.html',
    'Error: Invalid status',
    'Error: XML-RPC fault: Password incorrect.',
    'Error: XML-RPC fault: Permission denied.',
  ];
  for (const message of refused) assert.equal(kindOf(message), 'needs-credentials', message);
  const busy = [
    'HTTPError: Response code 429 (Too Many Requests)',
    'HTTPError: Response code 503 (timed out)',
  ];
  for (const message of busy) assert.equal(kindOf(message), 'directory-unavailable', message);
  const odd = ['HTTPError: Response code 404 (Not Found)', 'Error: XML-RPC fault: Unknown method.'];
  for (const message of odd) assert.equal(kindOf(message), 'malformed', message);
});

test('gsq removes the query string of each URL from the text of a gamedig error', () => {
  const error = new Error('no: "https://192.0.2.1/a?token=b" and http://192.0.2.1/c?d=e');
  const { kind, ...told } = readError(error);
  assert.equal(kind, 'malformed');
  assert.deepEqual(told, { detail: 'Error: no: "https://192.0.2.1/a" and http://192.0.2.1/c' });
});
