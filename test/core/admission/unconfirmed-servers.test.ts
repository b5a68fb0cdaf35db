import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnconfirmedServers } from '../../../core/admission/unconfirmed-servers.ts';

const limits = { inAll: 10, aToken: 6, anAddress: 3, aNetwork: 5 };

test('the number of servers that never answered is limited per address, per network, per token and in total', () => {
  const unconfirmed = new UnconfirmedServers(limits);
  const take = (token: string, address: string, port: number, own = false) =>
    unconfirmed.addWithinLimits(`csgo ${address}:${port}`, token, address, own);
  assert.deepEqual(
    [1, 2, 3, 4].map(port => take('a', '9.9.9.1', port)),
    [undefined, undefined, undefined, 'anAddress'],
  );
  assert.equal(take('b', '9.9.9.1', 5), 'anAddress', 'whoever inserted them');
  assert.deepEqual(
    ['9.9.9.2', '9.9.9.3', '9.9.9.4', '9.9.8.1'].map(address => take('b', address, 1)),
    [undefined, undefined, 'aNetwork', undefined],
  );
  assert.deepEqual(
    ['9.1.1.1', '9.1.2.1', '9.1.3.1', '9.1.4.1'].map(address => take('b', address, 1)),
    [undefined, undefined, undefined, 'aToken'],
  );
  assert.deepEqual(
    ['8.1.1.1', '8.1.2.1'].map(address => take('c', address, 1)),
    [undefined, 'inAll'],
  );
  assert.equal(unconfirmed.size, 10);
});

test('the network limit for servers that never answered counts all IPv6 addresses of a /48 as one network', () => {
  const unconfirmed = new UnconfirmedServers({ ...limits, aNetwork: 1 });
  assert.equal(unconfirmed.addWithinLimits('csgo [2600:1:2:3::1]:1', 'a', '2600:1:2:3::1', false), undefined);
  assert.equal(
    unconfirmed.addWithinLimits('csgo [2600:1:2:4::1]:1', 'a', '2600:1:2:4::1', false),
    'aNetwork',
  );
  assert.equal(unconfirmed.addWithinLimits('csgo [2600:1:3:4::1]:1', 'a', '2600:1:3:4::1', false), undefined);
});

test('in the operator’s own networks, the servers that never answered are limited only per token, not per IP address', () => {
  const unconfirmed = new UnconfirmedServers(limits);
  const taken = [1, 2, 3, 4, 5, 6, 7].map(port =>
    unconfirmed.addWithinLimits(`k${port}`, 'a', '10.0.0.1', true),
  );
  assert.deepEqual(taken, [...Array(6).fill(undefined), 'aToken']);
});

test('a server that never answered counts only once towards the insert limits, even if it is added or removed twice', () => {
  const unconfirmed = new UnconfirmedServers(limits);
  for (const port of [1, 2, 3]) unconfirmed.addServer(`k${port}`, 'a', '9.9.9.1');
  unconfirmed.addServer('k1', 'a', '9.9.9.1');
  assert.equal(unconfirmed.size, 3);
  unconfirmed.drop('k1');
  unconfirmed.drop('k1');
  unconfirmed.drop('never there');
  assert.equal(unconfirmed.addWithinLimits('k4', 'a', '9.9.9.1', false), undefined);
  assert.equal(unconfirmed.addWithinLimits('k5', 'a', '9.9.9.1', false), 'anAddress');
});
