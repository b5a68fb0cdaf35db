import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEndpoint, hostPort } from '../../runtime/endpoint.ts';

test('hostPort puts brackets around IPv6 addresses, but not around IPv4 addresses and host names', () => {
  assert.equal(hostPort('::1', 80), '[::1]:80');
  assert.equal(hostPort('1.2.3.4', 80), '1.2.3.4:80');
  assert.equal(hostPort('example.com', 80), 'example.com:80');
});

test('formatEndpoint returns host:port, with brackets around an IPv6 address', () => {
  assert.equal(formatEndpoint({ host: '::1', port: 1 }), '[::1]:1');
  assert.equal(formatEndpoint({ host: 'a.example', port: 1 }), 'a.example:1');
});
