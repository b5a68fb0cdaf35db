import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { TokenRequest } from '../../../core/access/token-service.ts';
import type { ServiceError } from '../../../proto/service-error.ts';
import { openAuthenticator } from './authenticator-fixture.ts';

const caller = { address: '203.0.113.9', domain: 'example.com' };

/**
 * Opens an authenticator with one token, and watches a caller that uses this token. The watch reports an error when the
 * caller may no longer use the token. `refusals` collects the codes of these errors. `watch` starts a further watch of
 * the same caller.
 */
async function watched(t: TestContext, change: Partial<TokenRequest> = {}) {
  const { authenticator, clock, token, tokenService } = await openAuthenticator(t);
  const { id, credentials } = await token(change);
  const refusals: string[] = [];
  const refused = new EventTarget();
  const watch = () =>
    authenticator.watch(credentials, caller, id, ({ code }: ServiceError) => {
      refusals.push(code);
      refused.dispatchEvent(new Event('refused'));
    });
  const stop = watch();
  t.after(stop);
  return {
    tokenService,
    clock,
    token,
    id,
    refusals,
    watch,
    stop,
    untilRefused: () => once(refused, 'refused'),
  };
}

describe('the access watch of a caller', () => {
  it('reports AUTH_3 once when the token is revoked', async t => {
    const { tokenService, id, refusals } = await watched(t);
    assert.deepEqual(refusals, []);
    await tokenService.revoke(id);
    assert.deepEqual(refusals, ['AUTH_3']);
    await tokenService.allow(id, { ips: [] });
    assert.deepEqual(refusals, ['AUTH_3']);
  });

  it('reports AUTH_3 when the token is rotated without a grace period', async t => {
    const { tokenService, id, refusals } = await watched(t);
    await tokenService.rotate(id, 0);
    assert.deepEqual(refusals, ['AUTH_3']);
  });

  it('reports AUTH_3 when the grace period of the old secret ends', async t => {
    const { tokenService, clock, id, refusals, untilRefused } = await watched(t);
    await tokenService.rotate(id, 2);
    assert.deepEqual(refusals, []);
    const refusal = untilRefused();
    clock.at += 2;
    await refusal;
    assert.deepEqual(refusals, ['AUTH_3']);
  });

  it('reports AUTH_3 when the token expires', async t => {
    const { tokenService, clock, id, refusals, untilRefused } = await watched(t);
    await tokenService.expire(id, clock.at + 2);
    assert.deepEqual(refusals, []);
    const refusal = untilRefused();
    clock.at += 2;
    await refusal;
    assert.deepEqual(refusals, ['AUTH_3']);
  });

  it('reports AUTH_4 only when a changed allow-list of the token excludes the caller', async t => {
    for (const lists of [{ ips: ['198.51.100.0/24'] }, { domains: ['example.net'] }]) {
      const { tokenService, id, refusals } = await watched(t);
      await tokenService.allow(id, { ips: ['203.0.113.0/24'], domains: ['example.com'] });
      assert.deepEqual(refusals, []);
      await tokenService.allow(id, lists);
      assert.deepEqual(refusals, ['AUTH_4']);
    }
  });

  it('reports AUTH_3 immediately if the token was revoked before the watch began', async t => {
    const { tokenService, id, refusals, watch, stop } = await watched(t);
    stop();
    await tokenService.revoke(id);
    assert.deepEqual(refusals, []);
    watch();
    assert.deepEqual(refusals, ['AUTH_3']);
  });

  it('ignores the changes of other tokens', async t => {
    const { tokenService, token, refusals } = await watched(t);
    await tokenService.revoke((await token()).id);
    assert.deepEqual(refusals, []);
  });
});
