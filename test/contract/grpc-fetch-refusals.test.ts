import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { credentialKeys } from '../../proto/clients.ts';
import { ERROR_DOMAIN } from '../../proto/service-error.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { credentialMetadata, failure, fetchJson, fetchServers } from './grpc.ts';
import { startInProcess } from './in-process.ts';
import { createToken, makeRequests, revokeToken, usedBy } from './tokens.ts';

const servers = [{ gameId: 'csgo', servers: ['127.0.0.1:27015'] }];

describe('GameService and ServerService', () => {
  let stack: CoreAndGateway;
  before(async () => {
    stack = await startCoreAndGateway();
  });
  after(() => stack.stop());

  const refused = (metadata: Metadata, request = { servers }) =>
    failure(fetchServers(stack.grpc, request, metadata));

  it('credentials are accepted as metadata x-api-token, x-api-token-type, x-api-token-email', async () => {
    assert.deepEqual(credentialKeys, {
      token: 'x-api-token',
      tier: 'x-api-token-type',
      email: 'x-api-token-email',
    });
    const answer = await fetchServers(stack.grpc, { servers }, credentialMetadata());
    assert.equal(answer.results.length, 1);
    const shouted = { ...bootstrap, email: bootstrap.email.toUpperCase() };
    assert.equal(
      (await fetchServers(stack.grpc, { servers }, credentialMetadata(shouted))).results.length,
      1,
    );
  });

  it('a call without credentials gets UNAUTHENTICATED with ErrorInfo AUTH_1', async () => {
    const { code, reason, domain, message } = await refused(new Metadata());
    assert.deepEqual([code, reason, domain], ['UNAUTHENTICATED', 'AUTH_1', ERROR_DOMAIN]);
    assert.match(message, /x-api-token\b/);
  });

  it('a call whose metadata names an unknown tier (kind of account) gets UNAUTHENTICATED with ErrorInfo AUTH_2', async () => {
    const { code, reason } = await refused(credentialMetadata({ ...bootstrap, tier: 'GOLD' }));
    assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_2']);
  });

  it('a call with a revoked token, or with a wrong token, tier or e-mail, gets UNAUTHENTICATED with ErrorInfo AUTH_3', async () => {
    const revoked = await createToken(stack.internal);
    await revokeToken(stack.internal, revoked.id);
    const refusals = await Promise.all(
      [
        { ...bootstrap, token: 'gsq_unknown-token' },
        { ...bootstrap, tier: 'FREE' },
        { ...bootstrap, email: 'other@example.com' },
        revoked,
      ].map(credentials => refused(credentialMetadata(credentials))),
    );
    for (const refusal of refusals) assert.deepEqual(refusal, refusals[0]);
    assert.deepEqual([refusals[0]?.code, refusals[0]?.reason], ['UNAUTHENTICATED', 'AUTH_3']);
  });

  it('a caller outside the IP allow-list of the token gets PERMISSION_DENIED with ErrorInfo AUTH_4', async () => {
    const token = await createToken(stack.internal, { allowIps: ['10.0.0.0/8'] });
    const { code, reason } = await refused(credentialMetadata(token));
    assert.deepEqual([code, reason], ['PERMISSION_DENIED', 'AUTH_4']);
    const here = await createToken(stack.internal, { allowIps: ['127.0.0.0/8'] });
    assert.equal((await fetchServers(stack.grpc, { servers }, credentialMetadata(here))).results.length, 1);
  });

  it('a call with too many addresses gets INVALID_ARGUMENT with ErrorInfo POST_3, and costs no quota', async () => {
    const token = await createToken(stack.internal);
    const many = [{ gameId: 'csgo', servers: Array.from({ length: 1001 }, () => '127.0.0.1:27015') }];
    const { code, reason, violations } = await refused(credentialMetadata(token), { servers: many });
    assert.deepEqual([code, reason], ['INVALID_ARGUMENT', 'POST_3']);
    assert.equal(violations?.[0]?.field, 'servers');
    assert.notEqual(violations?.[0]?.description, '');
    assert.equal(await usedBy(stack.internal, token.id), 0);
  });

  it('the error messages about credentials mention metadata keys, and contain no HTTP terms', async () => {
    for (const metadata of [
      new Metadata(),
      credentialMetadata({ ...bootstrap, tier: 'GOLD' }),
      credentialMetadata({ ...bootstrap, token: 'gsq_unknown-token' }),
    ]) {
      const { message } = await refused(metadata);
      assert.match(message, /x-api-token/);
      assert.doesNotMatch(message, /header|http/i);
    }
  });

  it('a call over the burst limit gets RESOURCE_EXHAUSTED with ErrorInfo RATE_1, QuotaFailure and RetryInfo', async () => {
    const slow = await startInProcess({ GSQ_BURST_LIMIT: '1' });
    try {
      const attempts = Array.from({ length: 8 }, () =>
        fetchServers(slow.grpc, {}).then(
          () => undefined,
          error => error,
        ),
      );
      const error = (await Promise.all(attempts)).find(outcome => outcome !== undefined);
      const { code, reason, metadata, quotaSubject, retryAfterSeconds } = await failure(
        Promise.reject(error),
      );
      assert.deepEqual([code, reason, retryAfterSeconds], ['RESOURCE_EXHAUSTED', 'RATE_1', 1]);
      assert.deepEqual(metadata, { limit_per_second: '1' });
      assert.match(quotaSubject ?? '', /^token:./);
    } finally {
      await slow.stop();
    }
  });

  it('FetchServersJson has the same limits as FetchServers: credentials, allow-list, quota and number of addresses', async () => {
    const refusedJson = (metadata: Metadata, request = { servers }) =>
      failure(fetchJson(stack.grpc, request, metadata));
    assert.equal((await refusedJson(new Metadata())).reason, 'AUTH_1');
    const elsewhere = await createToken(stack.internal, { allowIps: ['10.0.0.0/8'] });
    assert.equal((await refusedJson(credentialMetadata(elsewhere))).reason, 'AUTH_4');
    const token = await createToken(stack.internal);
    const many = [{ gameId: 'csgo', servers: Array.from({ length: 1001 }, () => '127.0.0.1:27015') }];
    assert.equal((await refusedJson(credentialMetadata(token), { servers: many })).reason, 'POST_3');
    assert.equal(await usedBy(stack.internal, token.id), 0);
    await fetchJson(stack.grpc, { servers }, credentialMetadata(token));
    assert.equal(await usedBy(stack.internal, token.id), 1);
    await makeRequests(stack.internal, token, 1439);
    assert.equal(await usedBy(stack.internal, token.id), 1440);
    assert.equal((await refusedJson(credentialMetadata(token))).reason, 'QUOTA_1');
  });

  it('a call with missing or wrong credentials and too many addresses gets the error for its credentials', async () => {
    const many = [{ gameId: 'csgo', servers: Array.from({ length: 1001 }, () => '127.0.0.1:27015') }];
    assert.equal((await refused(new Metadata(), { servers: many })).reason, 'AUTH_1');
    const unknown = credentialMetadata({ token: 'x', tier: 'GOLD', email: '' });
    assert.equal((await refused(unknown, { servers: many })).reason, 'AUTH_2');
  });
});
