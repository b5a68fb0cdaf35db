import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwayServers } from '../../../core/detector/away-servers.ts';
import { networkKeysOf } from '../../../core/detector/network-keys.ts';

const A = 'csgo 9.9.9.9:27015';
const B = 'csgo 9.9.9.9:27016';
const C = 'rust 9.9.9.9:28015';
const { host } = networkKeysOf('9.9.9.9:1');

test('AwayServers (servers that are offline for long) finds the servers of a host, whatever their game and port', () => {
  const away = new AwayServers();
  assert.deepEqual(away.atHost(host), []);
  for (const [i, key] of [A, B, C].entries()) {
    away.add(key);
    away.add(key);
    assert.deepEqual(away.atHost(host), [A, B, C].slice(0, i + 1));
  }
  away.add('csgo 9.9.9.8:27015');
  away.add('csgo a.example.com:27015');
  away.add('csgo [2001:db8::1]:27015');
  assert.deepEqual(away.atHost(host), [A, B, C]);
  assert.deepEqual(away.atHost(networkKeysOf('a.example.com:1').host), ['csgo a.example.com:27015']);
  assert.deepEqual(away.atHost(networkKeysOf('[2001:db8::1]:1').host), ['csgo [2001:db8::1]:27015']);
});

test('AwayServers (servers that are offline for long) removes only the server that is passed to remove()', () => {
  const away = new AwayServers();
  away.remove(A);
  away.add(A);
  away.remove(B);
  assert.deepEqual(away.atHost(host), [A]);
  away.add(B);
  away.remove(C);
  away.remove(A);
  assert.deepEqual(away.atHost(host), [B]);
  away.remove(B);
  assert.deepEqual(away.atHost(host), []);
  away.add(A);
  away.remove(A);
  assert.deepEqual(away.atHost(host), []);
});
