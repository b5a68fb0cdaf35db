import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfAddress } from '../../../core/cluster/address-bucket.ts';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { Random } from '../../truth/random.ts';

test('bucketOfAddress() returns the same bucket (group of servers) for an address in a buffer as bucketOfServer() for the server', () => {
  const random = new Random(3);
  const byte = (): number => Math.floor(random.between(0, 256));
  const hosts = ['', 'a.test', 'ü.test', '[2001:db8::1]', ...Array.from({ length: 2_000 }, () => byte())];
  for (const host of hosts) {
    const address = typeof host === 'string' ? `${host}:27015` : `${host}.${byte()}.${byte()}.${byte()}:1`;
    const text = Buffer.from(`<${address}>`);
    assert.equal(bucketOfAddress(text, 1, text.length - 1), bucketOfServer(`csgo ${address}`), address);
  }
  assert.equal(bucketOfAddress(Buffer.from('no-port'), 0, 7), bucketOfServer('csgo no-port'));
});
