import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { callerOf, credentialsOf } from '../../../gateway/fetch/caller.ts';

function requestWith(headers: Record<string, string>, peer = '10.0.0.9'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  request.headers = headers;
  return request;
}

function addressOf(forwarded: string, trusted: number, peer?: string): string | undefined {
  return callerOf(requestWith({ 'x-forwarded-for': forwarded }, peer), trusted).address;
}

describe('for an HTTP request', () => {
  test('callerOf() ignores X-Forwarded-For if there are no trusted proxies', () => {
    assert.equal(addressOf('203.0.113.7', 0), '10.0.0.9');
  });

  test('callerOf() returns the n-th address from the end of X-Forwarded-For if there are n trusted proxies', () => {
    const forwarded = '198.51.100.1, 203.0.113.7,192.0.2.5';
    assert.equal(addressOf(forwarded, 1), '192.0.2.5');
    assert.equal(addressOf(forwarded, 2), '203.0.113.7');
    assert.equal(addressOf(forwarded, 3), '198.51.100.1');
    assert.equal(addressOf(forwarded, 9), '198.51.100.1');
  });

  test('callerOf() returns the peer address of the connection if X-Forwarded-For is missing or invalid', () => {
    assert.equal(callerOf(requestWith({}), 1).address, '10.0.0.9');
    assert.equal(addressOf('unknown', 1), '10.0.0.9');
  });

  test('callerOf() removes port, brackets and zone of an address, and converts IPv4-mapped IPv6 to IPv4', () => {
    assert.equal(addressOf('203.0.113.7:4711', 1), '203.0.113.7');
    assert.equal(addressOf('[2001:db8::1]:4711', 1), '2001:db8::1');
    assert.equal(addressOf('', 0, '::ffff:203.0.113.7'), '203.0.113.7');
    assert.equal(addressOf('', 0, 'fe80::1%eth0'), 'fe80::1');
  });

  test('callerOf() takes the domain from the Origin header, or from Referer if there is no valid Origin', () => {
    const domainOf = (headers: Record<string, string>) => callerOf(requestWith(headers), 0).domain;
    assert.equal(
      domainOf({ origin: 'https://Example.com:8443', referer: 'https://other.org/x' }),
      'example.com',
    );
    assert.equal(domainOf({ origin: 'null', referer: 'https://other.org/x?y' }), 'other.org');
    assert.equal(domainOf({ referer: 'not a url' }), '');
    assert.equal(domainOf({}), '');
  });

  test('credentialsOf() returns an empty string for a missing credential, and truncates a long credential to 1024 characters', () => {
    assert.deepEqual(credentialsOf(requestWith({})), { token: '', tier: '', email: '' });
    assert.equal(credentialsOf(requestWith({ 'x-api-token': 'x'.repeat(5000) })).token?.length, 1024);
  });
});
