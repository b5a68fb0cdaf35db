import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SERVFAIL } from '../system/name-server.ts';
import { resolverWithNameServer } from './resolver-with-name-server.ts';

const { dns, clock, resolver } = await resolverWithNameServer();

describe('Resolver', () => {
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
      clock.now += 60_000;
      assert.equal(await port(), 1_001);
    }
    dns.names.set(name, records(1_002));
    clock.now += 4_999;
    assert.equal(await port(), 1_001);
    clock.now += 1;
    assert.equal(await port(), 1_002);
    dns.names.set(name, {});
    clock.now += 60_000;
    assert.equal(await port(), 'absent');
  });
});
