import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { ConfigError } from '../../runtime/config.ts';
import { resolverWithNameServer } from './resolver-with-name-server.ts';

const { dns, clock, resolver } = await resolverWithNameServer();

describe('Resolver', () => {
  test('returns all addresses of a name, with the IPv4 addresses first', async () => {
    assert.deepEqual(await resolver.resolve('both.example'), {
      kind: 'addresses',
      addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
    });
    assert.deepEqual(await resolver.resolve('four.example'), { kind: 'addresses', addresses: ['192.0.2.4'] });
    assert.deepEqual(await resolver.resolve('six.example'), {
      kind: 'addresses',
      addresses: ['2001:db8::6'],
    });
  });

  test('returns the IPv4 addresses of a name if the query for its IPv6 addresses fails', async () => {
    assert.deepEqual(await resolver.resolve('half.example'), { kind: 'addresses', addresses: ['192.0.2.5'] });
  });

  test('returns "absent" for a name without addresses, and "failed" if the name server reports an error', async () => {
    assert.deepEqual(await resolver.resolve('none.example'), { kind: 'absent' });
    assert.deepEqual(await resolver.resolve('empty.example'), { kind: 'absent' });
    assert.deepEqual(await resolver.resolve('broken.example'), { kind: 'failed', reason: 'ESERVFAIL' });
    assert.deepEqual(await resolver.resolve('refused.example'), { kind: 'failed', reason: 'EREFUSED' });
  });

  test('returns "absent" for a name with a null byte, and queries no name server for it', async () => {
    for (const name of ['four.example\0', '0.0.0.0\0'])
      assert.deepEqual(await resolver.resolve(name), { kind: 'absent' });
    assert.deepEqual(await resolver.service('_minecraft._tcp.play.example\0'), { kind: 'absent' });
    assert.deepEqual(
      dns.questions.filter(question => question.startsWith('A')),
      [],
    );
  });

  test('queries the name servers for a name at most once a minute, even if lookups are concurrent', async () => {
    await Promise.all([resolver.resolve('four.example'), resolver.resolve('four.example')]);
    clock.now += 59_999;
    await resolver.resolve('four.example');
    assert.deepEqual([...dns.questions].sort(), ['A four.example', 'AAAA four.example']);
    clock.now += 1;
    await resolver.resolve('four.example');
    assert.equal(dns.questions.length, 4);
  });

  test('caches an address for one minute, and returns a changed address after this minute', async () => {
    const addresses = () => resolver.resolve('moving.example');
    dns.names.set('moving.example', { a: ['192.0.2.7'] });
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.7'] });
    dns.names.set('moving.example', { a: ['192.0.2.8'] });
    clock.now += 59_999;
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.7'] });
    clock.now += 1;
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.8'] });
  });

  test('queries the name servers again if the clock was set back', async () => {
    await resolver.resolve('four.example');
    clock.now -= 3_600_000;
    await resolver.resolve('four.example');
    assert.equal(dns.questions.length, 4);
  });

  test('returns "failed" if no name server answers', async () => {
    dns.silent = true;
    try {
      assert.deepEqual(await resolver.resolve('four.example'), { kind: 'failed', reason: 'ETIMEOUT' });
    } finally {
      dns.silent = false;
    }
  });

  test('caches a failed lookup for five seconds, and queries the name servers again after that', async () => {
    await resolver.resolve('broken.example');
    const asked = dns.questions.length;
    clock.now += 4_999;
    await resolver.resolve('broken.example');
    assert.equal(dns.questions.length, asked);
    clock.now += 1;
    await resolver.resolve('broken.example');
    assert.ok(dns.questions.length > asked);
  });

  test('sends no query for names that end in localhost or invalid', async () => {
    for (const name of ['localhost', 'a.localhost']) {
      assert.deepEqual(await resolver.resolve(name), { kind: 'addresses', addresses: ['127.0.0.1', '::1'] });
      assert.deepEqual(await resolver.service(`_minecraft._tcp.${name}`), { kind: 'absent' });
    }
    for (const name of ['invalid', 'a.invalid']) {
      assert.deepEqual(await resolver.resolve(name), { kind: 'absent' });
      assert.deepEqual(await resolver.service(`_minecraft._tcp.${name}`), { kind: 'absent' });
    }
    assert.deepEqual(dns.questions, []);
  });

  test('refuses a name server whose address is not an IP address with an optional port', () => {
    for (const server of ['dns.example', '127.0.0.1:x', 'x:53']) {
      assert.throws(
        () => new Resolver([server], Date.now),
        error => error instanceof ConfigError && error.message.includes(server),
        server,
      );
    }
  });
});
