import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, ask } from '../gateway/ask.ts';
import { type CoreAndGateway, startCoreAndGateway } from './core-and-gateway.ts';
import { addresses, bodyOf, fetchWithHeaders, validBody } from './fetch-requests.ts';
import { assertError, credentialHeaders, FETCH } from './rest.ts';
import { createToken, OWNER, revokeToken, type TestToken, usedBy } from './tokens.ts';

const MIB = 1024 * 1024;

describe('POST /v1/post/fetch', () => {
  let stack: CoreAndGateway;
  let free: TestToken;
  before(async () => {
    stack = await startCoreAndGateway();
    free = await createToken(stack.internal);
  });
  after(() => stack.stop());

  const withHeaders = (changes: Record<string, string | undefined>, body?: string) =>
    fetchWithHeaders(stack.http, free, changes, body);

  it('answers 401 AUTH_1 if the token header is missing or empty', async () => {
    assertError(await withHeaders({ 'X-API-Token': undefined }), 401, 'AUTH_1');
    assertError(await withHeaders({ 'X-API-Token': '' }), 401, 'AUTH_1');
    assertError(await ask(stack.http, { method: 'POST', path: FETCH, body: validBody }), 401, 'AUTH_1');
  });

  it('answers 401 AUTH_2 if the tier header is neither FREE nor PRO', async () => {
    for (const tier of [undefined, '', 'GOLD', 'free', 'Free', 'FREE,PRO']) {
      assertError(await withHeaders({ 'X-API-Token-Type': tier }), 401, 'AUTH_2');
    }
  });

  it('answers 401 AUTH_3 with the same message, whether the token, the tier or the e-mail is wrong', async () => {
    const refusals = await Promise.all([
      withHeaders({ 'X-API-Token': 'gsq_unknown-token-unknown-token' }),
      withHeaders({ 'X-API-Token': free.token.toUpperCase() }),
      withHeaders({ 'X-API-Token-Type': 'PRO' }),
      withHeaders({ 'X-API-Token-Email': 'other@example.com' }),
      withHeaders({ 'X-API-Token-Email': undefined }),
      withHeaders({ 'X-API-Token': 'gsq_unknown', 'X-API-Token-Type': 'PRO', 'X-API-Token-Email': 'a' }),
    ]);
    for (const refusal of refusals) assertError(refusal, 401, 'AUTH_3');
    assert.equal(new Set(refusals.map(({ json }) => json.message)).size, 1);
  });

  it('answers 401 AUTH_3 if the token was revoked', async () => {
    const token = await createToken(stack.internal);
    const headers = credentialHeaders(token);
    assert.equal((await withHeaders(headers)).status, 200);
    await revokeToken(stack.internal, token.id);
    const refusal = await withHeaders(headers);
    assertError(refusal, 401, 'AUTH_3');
    const unknown = await withHeaders({ 'X-API-Token': 'gsq_unknown' });
    assert.equal(refusal.json.message, unknown.json.message);
  });

  it('answers 403 AUTH_4 if the IP allow-list of the token excludes the caller', async () => {
    const elsewhere = await createToken(stack.internal, { allowIps: ['10.0.0.0/8', '2001:db8::/32'] });
    assertError(await withHeaders(credentialHeaders(elsewhere)), 403, 'AUTH_4');
    const claimed = { ...credentialHeaders(elsewhere), 'X-Forwarded-For': '10.1.2.3' };
    assertError(await withHeaders(claimed), 403, 'AUTH_4');
    const here = await createToken(stack.internal, { allowIps: ['10.0.0.0/8', '127.0.0.1'] });
    assert.equal((await withHeaders(credentialHeaders(here))).status, 200);
  });

  it('answers 403 AUTH_4 if the domain allow-list of the token excludes the caller', async () => {
    const token = credentialHeaders(await createToken(stack.internal, { allowDomains: ['example.com'] }));
    assertError(await withHeaders(token), 403, 'AUTH_4');
    for (const origin of [
      'https://example.org',
      'https://notexample.com',
      'https://example.com.example.org',
    ]) {
      assertError(await withHeaders({ ...token, Origin: origin }), 403, 'AUTH_4');
    }
    assert.equal((await withHeaders({ ...token, Origin: 'https://example.com' })).status, 200);
    assert.equal((await withHeaders({ ...token, Referer: 'https://www.example.com/page' })).status, 200);
  });

  it('ignores the case of the e-mail and of header names, but not the case of the token and the tier', async () => {
    for (const email of [OWNER.toLowerCase(), OWNER.toUpperCase()]) {
      assert.equal((await withHeaders({ 'X-API-Token-Email': email })).status, 200);
    }
    const headers = {
      'CONTENT-TYPE': 'application/json',
      'x-api-TOKEN': free.token,
      'X-Api-Token-type': free.tier,
      'x-API-token-EMAIL': free.email,
    };
    assert.equal(
      (await ask(stack.http, { method: 'POST', path: FETCH, headers, body: validBody })).status,
      200,
    );
    assertError(await withHeaders({ 'X-API-Token': free.token.toLowerCase() }), 401, 'AUTH_3');
    assertError(await withHeaders({ 'X-API-Token-Type': 'free' }), 401, 'AUTH_2');
  });

  it('charges no quota for a request that fails with 401, 403, 413, 415 or 400', async () => {
    const before = await usedBy(stack.internal, free.id);
    const refused: Answer[] = [
      await withHeaders({ 'X-API-Token-Type': 'PRO' }),
      await withHeaders({}, bodyOf(MIB + 1)),
      await withHeaders({ 'Content-Type': 'text/plain' }),
      await withHeaders({}, '{'),
      await withHeaders({}, JSON.stringify({ servers: [{ game_id: 'csgo', servers: addresses(1001) }] })),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [401, 413, 415, 400, 400],
    );
    const excluded = await createToken(stack.internal, { allowIps: ['10.0.0.1'] });
    assert.equal((await withHeaders(credentialHeaders(excluded))).status, 403);
    assert.equal(await usedBy(stack.internal, excluded.id), 0);
    assert.equal(await usedBy(stack.internal, free.id), before);
    assert.equal((await withHeaders({})).status, 200);
    assert.equal(await usedBy(stack.internal, free.id), before + 1);
  });
});
