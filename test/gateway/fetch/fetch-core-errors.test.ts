import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../../proto/service-error.ts';
import { askFetch } from '../ask.ts';
import { allowances, refusing } from '../core-scripts.ts';
import { withGateway } from '../running-gateway.ts';

describe('POST /v1/post/fetch', () => {
  const { core, gateway } = withGateway();

  describe('an error answer', () => {
    for (const [code, status] of [
      ['AUTH_1', 401],
      ['AUTH_2', 401],
      ['AUTH_3', 401],
      ['AUTH_4', 403],
      ['POST_3', 400],
    ] as const) {
      test(`is ${status} ${code} with the message of the core if the core answers ${code}`, async () => {
        core.script = refusing(new ServiceError(code, `said ${code}`));
        const answer = await askFetch(gateway.http);
        assert.equal(answer.status, status);
        assert.deepEqual(answer.json, {
          error: code,
          message: `said ${code}`,
          request_id: answer.headers['x-request-id'],
        });
        assert.equal(answer.headers['retry-after'], undefined);
      });
    }

    test('contains the quota, Retry-After and rate limit headers for 429 QUOTA_1', async () => {
      const facts = { quota: '1440', used: '1440' };
      core.script = refusing(
        new ServiceError('QUOTA_1', 'used up', { facts, retryAfterSeconds: 77 }),
        allowances,
      );
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['retry-after'], '77');
      assert.equal(answer.headers['x-ratelimit-limit'], '50');
      assert.deepEqual(answer.json, {
        error: 'QUOTA_1',
        message: 'used up',
        quota: 1440,
        used: 1440,
        request_id: answer.headers['x-request-id'],
      });
    });

    test('contains Retry-After for 429 RATE_1, even if the core sends no delay', async () => {
      core.script = refusing(new ServiceError('RATE_1', 'slow down'));
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['retry-after'], '1');
    });

    test('does not contain the message of the core for 500 INTERNAL_1', async () => {
      core.script = () => ({
        error: { code: 13, message: 'TypeError at /srv/core/x.ts 10.0.0.1:50052', details: [] },
      });
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 500);
      assert.equal(answer.json.error, 'INTERNAL_1');
      assert.doesNotMatch(answer.text, /TypeError|srv|50052/);
    });

    test('is 500 INTERNAL_1 if the core sends the result of a credential check instead of the fetched servers', async () => {
      core.script = () => ({ checked: {} });
      const answer = await askFetch(gateway.http);
      assert.equal(answer.status, 500);
      assert.equal(answer.json.request_id, answer.headers['x-request-id']);
    });
  });
});
