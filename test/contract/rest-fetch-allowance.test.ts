import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, ask } from '../gateway/ask.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { credentialMetadata, failure, fetchServers } from './grpc.ts';
import { Clock, type InProcess, startInProcess, startOn } from './in-process.ts';
import { assertError, type Credentials, credentialHeaders, FETCH } from './rest.ts';
import { createToken, makeRequests, type TestToken, usedBy } from './tokens.ts';

const QUOTA = 1440;
const DAY_SECONDS = 86_400;
const MIB = 1024 * 1024;

interface Attempt {
  method?: string;
  token?: Partial<Credentials>;
  from?: string;
  body?: string;
  type?: string;
}

/**
 * Sends a fetch request with an empty server list. By default, the method, body and Content-Type are valid, and the
 * credentials are empty.
 */
function attempt(http: string, { method = 'POST', token = {}, from, body, type }: Attempt): Promise<Answer> {
  const headers = {
    'Content-Type': type ?? 'application/json',
    ...credentialHeaders({ token: '', tier: '', email: '', ...token }),
    ...(from === undefined ? {} : { 'X-Forwarded-For': from }),
  };
  return ask(http, { method, path: FETCH, headers, body: body ?? '{"servers":[]}' });
}

const codes = (answers: Answer[]) =>
  answers.map(({ status, json }) => `${status} ${json.error ?? ''}`.trim());

describe('the FREE quota of 1440 requests in 24 hours', () => {
  const clock = new Clock();
  let service: InProcess;
  before(async () => {
    service = await startInProcess({}, clock.now);
  });
  after(() => service.stop());

  it('when used up, causes 429 QUOTA_1 with `quota`, `used` and Retry-After until the oldest requests are 24 hours old', async () => {
    const token = await createToken(service.internal);
    await makeRequests(service.internal, token, 1000);
    clock.advance(DAY_SECONDS / 2);
    await makeRequests(service.internal, token, 439);
    const last = await attempt(service.http, { token });
    assert.equal(last.status, 200);
    assert.equal(last.headers['x-ratelimit-remaining'], '0');

    const refusal = await attempt(service.http, { token });
    assertError(refusal, 429, 'QUOTA_1');
    assert.deepEqual([refusal.json.quota, refusal.json.used], [QUOTA, QUOTA]);
    assert.equal(refusal.headers['retry-after'], String(DAY_SECONDS / 2));
    assert.equal(refusal.headers['x-ratelimit-limit'], String(QUOTA));
    assert.equal(refusal.headers['x-ratelimit-remaining'], '0');
    assert.equal(await usedBy(service.internal, token.id), QUOTA, 'a 429 costs nothing');

    clock.advance(DAY_SECONDS / 2 - 1);
    assertError(await attempt(service.http, { token }), 429, 'QUOTA_1');
    clock.advance(1);
    const again = await attempt(service.http, { token });
    assert.equal(again.status, 200);
    assert.equal(again.headers['x-ratelimit-remaining'], '999');
    clock.advance(DAY_SECONDS / 2);
    assert.equal(
      await usedBy(service.internal, token.id),
      1,
      'the second half of the day has rolled out too',
    );
  });

  it('when used up, causes RESOURCE_EXHAUSTED over gRPC, with RetryInfo, and with `quota` and `used` in ErrorInfo', async () => {
    const token = await createToken(service.internal);
    await makeRequests(service.internal, token, QUOTA);
    const refusal = await failure(fetchServers(service.grpc, {}, credentialMetadata(token)));
    assert.equal(refusal.code, 'RESOURCE_EXHAUSTED');
    assert.equal(refusal.reason, 'QUOTA_1');
    assert.deepEqual(refusal.metadata, { quota: '1440', used: '1440' });
    assert.equal(refusal.retryAfterSeconds, DAY_SECONDS);
  });

  it('does not apply to PRO tokens', async () => {
    const token = await createToken(service.internal, { tier: 'PRO' });
    await makeRequests(service.internal, token, QUOTA + 1);
    assert.equal((await attempt(service.http, { token })).status, 200);
  });

  it('is counted separately for each token', async () => {
    const [one, other] = [await createToken(service.internal), await createToken(service.internal)];
    await makeRequests(service.internal, one, QUOTA);
    assertError(await attempt(service.http, { token: one }), 429, 'QUOTA_1');
    assert.equal((await attempt(service.http, { token: other })).status, 200);
  });

  it('can be used only until the token expires: later requests get 401 AUTH_3', async () => {
    const expiresAt = { seconds: clock.ms / 1000 + 60, nanos: 0 };
    const token = await createToken(service.internal, { expiresAt });
    clock.advance(59);
    assert.equal((await attempt(service.http, { token })).status, 200);
    clock.advance(1);
    assertError(await attempt(service.http, { token }), 401, 'AUTH_3');
  });
});

describe('checks before the request body is read', () => {
  const dataDir = scratchDirectory();
  let service: InProcess;
  let spent: TestToken;
  let fresh: TestToken;
  before(async () => {
    const plenty = await startOn(dataDir);
    spent = await createToken(plenty.internal, { allowIps: ['10.0.0.0/8'] });
    fresh = await createToken(plenty.internal);
    await makeRequests(plenty.internal, spent, QUOTA, '10.1.2.3');
    await plenty.stop();
    // Starts the service again with the same data directory and a burst limit of one request per second.
    service = await startOn(dataDir, { GSQ_BURST_LIMIT: '1', GSQ_TRUST_PROXY: '1' });
  });
  after(() => service.stop());

  const tooLarge = `[${' '.repeat(MIB)}`;
  const wrongType = 'text/plain';

  it('run in this order: method (405), credentials (401 AUTH_1 to AUTH_3), IP allow-list (403), quota (429)', async () => {
    const bad = { body: tooLarge, type: wrongType };
    const unknown = { ...spent, token: 'gsq_unknown' };
    const answers = [
      await attempt(service.http, { ...bad, method: 'PUT' }),
      await attempt(service.http, { ...bad, token: { tier: 'GOLD' } }),
      await attempt(service.http, { ...bad, token: { ...unknown, tier: 'GOLD' } }),
      await attempt(service.http, { ...bad, token: unknown }),
      await attempt(service.http, { ...bad, token: spent }),
    ];
    assert.deepEqual(codes(answers), ['405 POST_1', '401 AUTH_1', '401 AUTH_2', '401 AUTH_3', '403 AUTH_4']);
    // Sends five requests at once. They exceed the burst limit of one request per second, and the daily quota of their
    // token is used up. All five get QUOTA_1, not RATE_1, because the core checks the quota first.
    const ask5 = Array.from({ length: 5 }, () =>
      attempt(service.http, { ...bad, token: spent, from: '10.1.2.3' }),
    );
    assert.deepEqual(codes(await Promise.all(ask5)), Array(5).fill('429 QUOTA_1'));
  });

  it('refuse requests over the burst limit with 429 RATE_1, and charge no quota', async () => {
    const before = await usedBy(service.internal, fresh.id);
    const bad = { body: tooLarge, type: wrongType, token: fresh };
    const answers = await Promise.all(Array.from({ length: 8 }, () => attempt(service.http, bad)));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0, codes(answers).join());
    for (const answer of refused) {
      assertError(answer, 429, 'RATE_1');
      assert.equal(answer.headers['retry-after'], '1');
      assert.equal(answer.json.quota, undefined);
      assert.match(String(answer.headers.ratelimit), /"burst";r=0/);
    }
    assert.equal(await usedBy(service.internal, fresh.id), before);
  });
});

describe('checks of the request body', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess();
  });
  after(() => service.stop());

  it('run in this order: size (413), Content-Type (415), schema (400 POST_2), number of addresses (400 POST_3)', async () => {
    const token = await createToken(service.internal);
    const many = Array.from({ length: 1001 }, () => '127.0.0.1:27015');
    const group = { game_id: 'csgo', servers: many };
    const answers = [
      await attempt(service.http, { token, body: `[${' '.repeat(MIB)}`, type: 'text/plain' }),
      await attempt(service.http, { token, body: '[', type: 'text/plain' }),
      await attempt(service.http, { token, body: JSON.stringify({ servers: [group, 1] }) }),
      await attempt(service.http, { token, body: JSON.stringify({ servers: [group] }) }),
    ];
    assert.deepEqual(codes(answers), ['413 POST_5', '415 POST_4', '400 POST_2', '400 POST_3']);
  });
});
