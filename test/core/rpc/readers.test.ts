import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { AddressBurst } from '../../../core/access/address-burst.ts';
import { isVisible, isVisibleByName, Readers, type StrangerAccess } from '../../../core/rpc/readers.ts';
import { preparedMetadata } from '../../../core/rpc/reply-metadata.ts';
import { accountKeys, callerKeys, credentialKeys } from '../../../proto/clients.ts';
import type { ServiceError } from '../../../proto/service-error.ts';
import { openAuthenticator } from '../access/authenticator-fixture.ts';

/** Returns a gRPC call from the address `peer` with this metadata. */
function callWith(entries: Record<string, string> = {}, peer = '192.0.2.1:4000') {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) metadata.set(key, value);
  return { metadata, getPeer: () => peer };
}

const throughGateway = (address: string, more: Record<string, string> = {}) =>
  callWith({ [callerKeys.address]: address, [callerKeys.domain]: '', ...more }, '127.0.0.1:4000');

const code = (expected: string) => (error: ServiceError) => error.code === expected;

/** Opens an authenticator that knows one token of the tier FREE. `credentials`: the call metadata with this token. */
async function openReaders(t: TestContext) {
  const { authenticator, quota, use, token: create } = await openAuthenticator(t);
  const token = await create();
  const { token: secret, tier, email } = token.credentials;
  const credentials = {
    [credentialKeys.token]: secret,
    [credentialKeys.tier]: tier,
    [credentialKeys.email]: email,
  };
  return { authenticator, quota, use, token, credentials };
}

/**
 * Returns settings that let callers without credentials see servers. Each IP address may send at most `limit` requests
 * a second. `scope`: all servers (default) or only public servers.
 */
function strangersWith(limit: number, scope: 'all' | 'public' = 'all'): StrangerAccess {
  return { burst: new AddressBurst(limit), scope, seesPlayers: true };
}

describe('the caller of a read-only method', () => {
  it('needs no credentials and sees all servers if GSQ_PAGE is on', async t => {
    const { authenticator } = await openAuthenticator(t);
    const open = new Readers(authenticator, false, strangersWith(20));
    const { reader } = await open.admit(callWith());
    assert.deepEqual(reader, {
      tokenId: '',
      scope: 'all',
      seesPlayers: true,
      limitKey: '192.0.2.1',
      isStranger: true,
    });
    assert.ok(isVisible(reader, { insertedBy: 'tok_other', isPublic: false }));
    await assert.rejects(new Readers(authenticator, false).admit(callWith()), code('AUTH_1'));
  });

  it('without credentials sees only public servers if GSQ_PAGE_SERVERS is `listed`', async t => {
    const { authenticator } = await openAuthenticator(t);
    const readers = new Readers(authenticator, false, strangersWith(20, 'public'));
    const { reader } = await readers.admit(callWith());
    for (const isPublic of [true, false]) {
      assert.equal(isVisible(reader, { insertedBy: 'admin', isPublic }), isPublic);
      assert.equal(isVisibleByName(reader, { isPublic }), isPublic);
    }
  });

  it('can make 20 requests a second without credentials from one IPv4 address or one IPv6 /64', async t => {
    const { authenticator } = await openAuthenticator(t);
    const readers = new Readers(authenticator, false, strangersWith(20), true);
    for (let i = 0; i < 20; i++) await readers.admit(throughGateway(`2001:db8::${i}`));
    await assert.rejects(readers.admit(throughGateway('2001:db8::ffff')), (error: ServiceError) => {
      assert.deepEqual([error.code, error.details.retryAfterSeconds], ['RATE_1', 1]);
      return true;
    });
    const other = await readers.admit(throughGateway('2001:db8:0:1::1'));
    assert.equal(other.reader.limitKey, '2001:db8:0:1');
    // Simulates a gateway that repeats a call because the stream of the first attempt broke. The repeated call does not
    // count against the request limit.
    await readers.admit(throughGateway('2001:db8::1', { [callerKeys.repeated]: '1' }));
  });

  it('counts as an operator if the call reaches the internal port directly, but not if it comes through the gateway', async t => {
    const { authenticator } = await openAuthenticator(t);
    const readers = new Readers(authenticator, false, undefined, true);
    const { reader: operator } = await readers.admit(callWith());
    assert.deepEqual([operator.limitKey, operator.isStranger], ['', false]);
    await assert.rejects(readers.admit(throughGateway('192.0.2.7')), code('AUTH_1'));
    await assert.rejects(readers.admit(throughGateway('')), code('AUTH_1'));
  });

  it('cannot use metadata on the public port to pretend to be another caller, or to avoid the quota', async t => {
    const { authenticator, credentials, token, quota } = await openReaders(t);
    const strangers = strangersWith(1);
    const readers = new Readers(authenticator, false, strangers);
    const lie = { [callerKeys.address]: '198.51.100.1', [callerKeys.repeated]: '1' };
    assert.equal((await readers.admit(callWith(lie))).reader.limitKey, '192.0.2.1');
    await assert.rejects(readers.admit(callWith(lie)), code('RATE_1'));
    (await readers.admit(callWith({ ...credentials, ...lie }))).charge();
    assert.equal(quota.used(token.id), 1);
  });

  it('spends its quota only in `charge()`, and not in `admit()` (the check of the credentials)', async t => {
    const { authenticator, credentials, token, quota } = await openReaders(t);
    const readers = new Readers(authenticator, false, strangersWith(20), true);
    const call = throughGateway('192.0.2.7', credentials);
    const allowance = () => String(preparedMetadata(call)?.get(accountKeys.allowance)[0]);
    const { charge } = await readers.admit(call);
    assert.equal(quota.used(token.id), 0);
    assert.match(allowance(), /^day;1440;1440;86400;\d+$/);
    charge();
    assert.equal(quota.used(token.id), 1);
    assert.match(allowance(), /^day;1440;1439;86400;\d+$/);
    assert.deepEqual(preparedMetadata(call)?.get(accountKeys.tokenId), [token.id]);
    const repeated = await readers.admit(
      throughGateway('192.0.2.7', { ...credentials, [callerKeys.repeated]: '1' }),
    );
    repeated.charge();
    assert.equal(quota.used(token.id), 1);
  });

  it('gets its remaining quota in the reply metadata of the public port', async t => {
    const { authenticator, credentials } = await openReaders(t);
    const call = callWith(credentials);
    const { charge } = await new Readers(authenticator, false).admit(call);
    charge();
    const told = preparedMetadata(call)?.get('ratelimit').map(String);
    assert.equal(told?.length, 1);
    assert.match(told?.[0] ?? '', /^"day";r=1439;/);
  });

  it('gets QUOTA_1 from `charge()` (spends the quota) if other calls use up the quota after `admit()` (checks the credentials)', async t => {
    const { authenticator, credentials, token, use } = await openReaders(t);
    const { charge } = await new Readers(authenticator, false).admit(callWith(credentials));
    use(token.id, 1440);
    assert.throws(charge, code('QUOTA_1'));
  });

  it('with a FREE token sees only the servers that this token inserted', async t => {
    const { authenticator, credentials, token } = await openReaders(t);
    const { reader } = await new Readers(authenticator, false).admit(callWith(credentials));
    assert.deepEqual(reader, {
      tokenId: token.id,
      scope: { insertedBy: token.id },
      seesPlayers: true,
      limitKey: token.id,
      isStranger: false,
    });
    assert.ok(!isVisible(reader, { insertedBy: 'tok_other', isPublic: false }));
  });

  it('is refused with wrong credentials, even if callers without credentials are accepted', async t => {
    const { authenticator } = await openAuthenticator(t);
    const readers = new Readers(authenticator, false, strangersWith(20));
    await assert.rejects(readers.admit(callWith({ [credentialKeys.tier]: 'FREE' })), code('AUTH_1'));
    const wrong = { [credentialKeys.token]: 'gsq_x', [credentialKeys.tier]: 'FREE' };
    await assert.rejects(readers.admit(callWith(wrong)), code('AUTH_3'));
  });
});
