import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkAddress, checkName } from '../../../core/servers/pair-check.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { NameServer, type Records, SERVFAIL } from '../../system/name-server.ts';

const closed = new TargetPolicy([]);
const opened = new TargetPolicy(['127.0.0.0/8', 'fd00::/8']);

function verdict(text: string, policy = closed): string {
  const found = checkAddress(text, policy);
  return 'reason' in found ? found.reason : found.canonical;
}

async function resolverOf(t: TestContext, names: Record<string, Records>): Promise<Resolver> {
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  return new Resolver([dns.address], () => 0);
}

test('a public address is valid, and checkAddress returns its canonical form', () => {
  assert.equal(verdict('1.2.3.4:27015'), '1.2.3.4:27015');
  assert.equal(verdict('[::ffff:1.2.3.4]:27015'), '1.2.3.4:27015');
  assert.equal(verdict('[2606:4700::0:1]:27015'), '[2606:4700::1]:27015');
});

test('checkAddress accepts a host name without looking it up, and returns its canonical form', () => {
  assert.equal(verdict('EXAMPLE.com.:27015'), 'example.com:27015');
});

test('a malformed address is refused, and the message explains how to correct it', () => {
  for (const text of [
    '',
    '_meta',
    '1.2.3.4',
    '1.2.3:1',
    '1.2.3.4:0',
    '1.2.3.4:65536',
    'a b:1',
    '::1:27015',
  ]) {
    assert.equal(verdict(text), 'malformed_address', text);
  }
  const found = checkAddress('1.2.3.4', closed);
  assert.equal(
    'message' in found && found.message,
    'The address has no port; write host:port, such as 203.0.113.7:27015.',
  );
});

test('private, loopback, link-local, CGNAT, multicast and reserved addresses are blocked', () => {
  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '192.0.2.1',
    '[::1]',
    '[fe80::1]',
    '[fd00::1]',
    '[ff02::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ]) {
    assert.equal(verdict(`${host}:27015`), 'blocked_address', host);
  }
});

test('addresses in ranges that the operator allowed are not blocked', () => {
  assert.equal(verdict('127.0.0.1:27015', opened), '127.0.0.1:27015');
  assert.equal(verdict('[::ffff:127.0.0.1]:27015', opened), '127.0.0.1:27015');
  assert.equal(verdict('[fd00::1]:27015', opened), '[fd00::1]:27015');
  assert.equal(verdict('10.0.0.1:27015', opened), 'blocked_address');
});

test('checkAddress refuses an address if no game uses its port, even if the operator allowed the IP range', () => {
  for (const text of ['1.2.3.4:22', '1.2.3.4:1023', 'example.com:6379', '127.0.0.1:11211']) {
    assert.equal(verdict(text, opened), 'blocked_address', text);
  }
  assert.equal(verdict('1.2.3.4:1024'), '1.2.3.4:1024');
});

test('a host name is valid if at least one of its addresses is allowed', async t => {
  const resolver = await resolverOf(t, {
    'public.test': { a: ['1.2.3.4'] },
    'private.test': { a: ['10.0.0.1'], aaaa: ['fd00::1'] },
    'mixed.test': { a: ['10.0.0.1', '1.2.3.4'] },
    'six.test': { aaaa: ['2606:4700::1'] },
    'broken.test': { a: SERVFAIL, aaaa: SERVFAIL },
  });
  const reasonOf = async (host: string, policy = closed) => {
    const found = await checkName(host, policy, resolver);
    return typeof found === 'string' ? found : found.reason;
  };
  assert.equal(await reasonOf('public.test'), '1.2.3.4');
  assert.equal(await reasonOf('six.test'), '2606:4700::1');
  assert.equal(await reasonOf('mixed.test'), '1.2.3.4');
  assert.equal(await reasonOf('private.test'), 'blocked_address');
  assert.equal(await reasonOf('private.test', opened), 'fd00::1');
  assert.equal(await reasonOf('none.test'), 'unresolvable_host');
  assert.equal(await reasonOf('broken.test'), 'unresolvable_host');
  assert.equal(await reasonOf('localhost'), 'blocked_address');
  assert.equal(await reasonOf('some.invalid'), 'unresolvable_host');
});

test('denied addresses and addresses of this machine are blocked with the same message as private addresses', async t => {
  const policy = new TargetPolicy([], { denied: ['1.2.3.0/24'], interfaces: ['5.6.7.8'] });
  const resolver = await resolverOf(t, {
    'private.test': { a: ['10.0.0.1'] },
    'denied.test': { a: ['1.2.3.4'] },
    'self.test': { a: ['5.6.7.8'] },
  });
  const words = checkAddress('10.0.0.1:27015', policy);
  assert.equal('reason' in words && words.reason, 'blocked_address');
  for (const host of ['1.2.3.4', '[::ffff:1.2.3.4]', '5.6.7.8', '127.0.0.1', '[fe80::1]']) {
    assert.deepEqual(checkAddress(`${host}:27015`, policy), words, host);
  }
  for (const name of ['private.test', 'denied.test', 'self.test', 'localhost']) {
    assert.deepEqual(await checkName(name, policy, resolver), words, name);
  }
});
