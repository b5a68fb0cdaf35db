import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRange, withinDomains, withinRanges } from '../../../core/access/allow-list.ts';

test('an IP allow-list matches the addresses that it lists and all addresses in its CIDR ranges, for IPv4 and IPv6', () => {
  const ranges = ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32'];
  for (const ip of ['10.255.0.1', '::ffff:10.1.2.3', '203.0.113.7', '2001:db8:1::1']) {
    assert.ok(withinRanges(ip, ranges), ip);
  }
  for (const ip of ['11.0.0.1', '203.0.113.8', '2001:db9::1', '::1', '', 'localhost', '10.0.0']) {
    assert.ok(!withinRanges(ip, ranges), ip);
  }
});

test('a malformed CIDR range in an allow-list matches no address', () => {
  assert.equal(withinRanges('10.0.0.1', ['10.0.0.0/33', 'x', '', '10.0.0.0/']), false);
});

test('parseRange() accepts IP addresses and CIDR ranges, and returns undefined for any other text', () => {
  assert.deepEqual(parseRange('10.0.0.0/8'), { network: '10.0.0.0', bits: 8, family: 'ipv4' });
  assert.deepEqual(parseRange('::1'), { network: '::1', bits: 128, family: 'ipv6' });
  assert.deepEqual(parseRange('0.0.0.0/0'), { network: '0.0.0.0', bits: 0, family: 'ipv4' });
  for (const text of [
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/a',
    'example.com',
    '10.0.0.0/8/8',
    '/8',
  ]) {
    assert.equal(parseRange(text), undefined, text);
  }
});

test('a domain in an allow-list matches the domain itself and its subdomains, in any letter case', () => {
  const domains = ['example.com'];
  for (const host of ['example.com', 'EXAMPLE.com', 'www.example.com', 'a.b.example.com']) {
    assert.ok(withinDomains(host, domains), host);
  }
  for (const host of ['', 'notexample.com', 'example.com.evil.test', 'com', 'example.co']) {
    assert.ok(!withinDomains(host, domains), host);
  }
});
