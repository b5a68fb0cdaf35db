import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { ConfigError } from '../../runtime/config.ts';
import { NameServer, REFUSED, SERVFAIL } from '../system/name-server.ts';

describe('Resolver', () => {
  let dns: NameServer;
  let now = 0;
  let resolver: Resolver;

  before(async () => {
    dns = await NameServer.start({
      'both.example': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] },
      'four.example': { a: ['192.0.2.4'] },
      'six.example': { aaaa: ['2001:db8::6'] },
      'half.example': { a: ['192.0.2.5'], aaaa: SERVFAIL },
      'empty.example': {},
      'broken.example': { a: SERVFAIL, aaaa: SERVFAIL, srv: SERVFAIL },
      'refused.example': { a: REFUSED, aaaa: REFUSED },
      '_minecraft._tcp.play.example': {
        srv: [
          { priority: 10, weight: 100, port: 1, target: 'later.example' },
          { priority: 5, weight: 1, port: 2, target: 'light.example' },
          { priority: 5, weight: 9, port: 25570, target: 'Heavy.Example' },
        ],
      },
      '_minecraft._tcp.closed.example': { srv: [{ priority: 0, weight: 0, port: 0, target: '' }] },
    });
  });
  after(() => dns.stop());
  beforeEach(() => {
    now = 10_000_000;
    dns.questions.length = 0;
    resolver = new Resolver([dns.address], () => now);
  });

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
    now += 59_999;
    await resolver.resolve('four.example');
    assert.deepEqual([...dns.questions].sort(), ['A four.example', 'AAAA four.example']);
    now += 1;
    await resolver.resolve('four.example');
    assert.equal(dns.questions.length, 4);
  });

  test('caches an address for one minute, and returns a changed address after this minute', async () => {
    const addresses = () => resolver.resolve('moving.example');
    dns.names.set('moving.example', { a: ['192.0.2.7'] });
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.7'] });
    dns.names.set('moving.example', { a: ['192.0.2.8'] });
    now += 59_999;
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.7'] });
    now += 1;
    assert.deepEqual(await addresses(), { kind: 'addresses', addresses: ['192.0.2.8'] });
  });

  test('queries the name servers again if the clock was set back', async () => {
    await resolver.resolve('four.example');
    now -= 3_600_000;
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
    now += 4_999;
    await resolver.resolve('broken.example');
    assert.equal(dns.questions.length, asked);
    now += 1;
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

  test('chooses the SRV target with the lowest priority number, then the highest weight, and returns its host in lower case', async () => {
    assert.deepEqual(await resolver.service('_minecraft._tcp.play.example'), {
      kind: 'target',
      host: 'heavy.example',
      port: 25570,
    });
    await resolver.service('_minecraft._tcp.play.example');
    assert.deepEqual(dns.questions, ['SRV _minecraft._tcp.play.example']);
  });

  test('returns "absent" for an SRV query if the record is missing, its target is empty, or the name server reports an error', async () => {
    const absent = { kind: 'absent' };
    assert.deepEqual(await resolver.service('_minecraft._tcp.none.example'), absent);
    assert.deepEqual(await resolver.service('_minecraft._tcp.closed.example'), absent);
    assert.deepEqual(await resolver.service('broken.example'), absent);
  });

  test('returns "failed" for the SRV record of a name if no name server answers', async () => {
    dns.silent = true;
    try {
      const found = await resolver.service('_minecraft._tcp.play.example');
      assert.deepEqual(found, { kind: 'failed', reason: 'ETIMEOUT' });
    } finally {
      dns.silent = false;
    }
  });

  test('keeps an SRV record after failed lookups, until a name server gives a valid answer again', async () => {
    const name = '_minecraft._tcp.moving.example';
    const records = (port: number) => ({ srv: [{ priority: 1, weight: 1, port, target: 'a.example' }] });
    const port = async () => {
      const found = await resolver.service(name);
      return found.kind === 'target' ? found.port : found.kind;
    };
    dns.names.set(name, records(1_001));
    assert.equal(await port(), 1_001);
    dns.names.set(name, { srv: SERVFAIL });
    // The resolver must keep the SRV record even after a second failed lookup.
    for (let i = 0; i < 2; i++) {
      now += 60_000;
      assert.equal(await port(), 1_001);
    }
    dns.names.set(name, records(1_002));
    now += 4_999;
    assert.equal(await port(), 1_001);
    now += 1;
    assert.equal(await port(), 1_002);
    dns.names.set(name, {});
    now += 60_000;
    assert.equal(await port(), 'absent');
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
