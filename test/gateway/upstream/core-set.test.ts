import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CoreSet } from '../../../gateway/upstream/core-set.ts';
import { placementKey } from '../../../gateway/upstream/rendezvous.ts';

const ADDRESSES = ['127.0.0.1:50052', '127.0.0.2:50052', '127.0.0.3:50052'];
const KEYS = Array.from({ length: 3_000 }, (_, i) => `token-${i}`);
const responding = (...addresses: string[]) => addresses.map(address => ({ address, responds: true }));

function coreSet(...addresses: string[]): CoreSet {
  const cores = new CoreSet('127.0.0.1:1');
  cores.update(responding(...addresses));
  return cores;
}

test('two gateways choose the same core for each token, even if their lists of cores have different orders', () => {
  const [one, other] = [coreSet(...ADDRESSES), coreSet(...[...ADDRESSES].reverse())];
  for (const key of KEYS) assert.equal(one.pickCore(key), other.pickCore(key));
});

test('a gateway spreads the tokens evenly over the cores', () => {
  const cores = coreSet(...ADDRESSES);
  for (const address of ADDRESSES) {
    const share = KEYS.filter(key => cores.pickCore(key) === address).length;
    assert.ok(share > 900 && share < 1_100, `${address} has ${share} of 3000 keys`);
  }
});

test('if a core leaves the cluster, a gateway spreads the tokens of this core over the other cores, and moves no other tokens', () => {
  const cores = coreSet(...ADDRESSES);
  const before = new Map(KEYS.map(key => [key, cores.pickCore(key)]));
  const [gone = '', ...left] = ADDRESSES;
  cores.update(responding(...left));
  for (const key of KEYS) if (before.get(key) !== gone) assert.equal(cores.pickCore(key), before.get(key));
  const moved = KEYS.filter(key => before.get(key) === gone).map(key => cores.pickCore(key));
  for (const address of left) assert.ok(moved.filter(found => found === address).length > moved.length / 3);
});

test('if the usual core of a token does not respond, the gateway sends the calls of this token to a core that responds', () => {
  const cores = coreSet(...ADDRESSES);
  const own = cores.pickCore('a token');
  cores.update(ADDRESSES.map(address => ({ address, responds: address !== own })));
  const next = cores.pickCore('a token');
  assert.notEqual(next, own);
  cores.update(ADDRESSES.map(address => ({ address, responds: false })));
  assert.equal(cores.pickCore('a token'), own);
  cores.update(responding(...ADDRESSES));
  assert.equal(cores.pickOther('a token', new Set([own])), next);
  assert.equal(cores.pickOther('a token', new Set(ADDRESSES)), undefined);
});

test('if a caller has no token, the network of the caller determines which core gets its calls', () => {
  assert.equal(placementKey('', '2001:db8::1'), placementKey('', '2001:db8::2'));
  assert.notEqual(placementKey('', '192.0.2.1'), placementKey('', '192.0.2.2'));
  assert.equal(placementKey('secret', '192.0.2.1'), placementKey('secret', '192.0.2.2'));
});

test('a gateway treats an unresponsive core as lost only if another core responds', () => {
  const cores = new CoreSet('a:1');
  const lost: string[] = [];
  for (const address of ['a:1', 'b:1']) cores.watchLoss(address, () => lost.push(address));
  cores.update([{ address: 'a:1', responds: false }]);
  cores.update([
    { address: 'a:1', responds: false },
    { address: 'b:1', responds: false },
  ]);
  assert.deepEqual(lost, []);
  cores.update([
    { address: 'a:1', responds: false },
    { address: 'b:1', responds: true },
  ]);
  assert.deepEqual(lost, ['a:1']);
  cores.update(responding('c:1'));
  assert.deepEqual(lost.slice(1).sort(), ['a:1', 'b:1']);
});
