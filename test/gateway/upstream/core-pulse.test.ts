import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { CoreLink } from '../../../gateway/upstream/core-link.ts';
import type { CoreLinkOptions } from '../../../gateway/upstream/core-link-options.ts';
import { insecure, withKeepaliveTimeout } from '../../../proto/clients.ts';
import { agreeable, type Script } from '../core-scripts.ts';
import { StallingProxy } from '../stalling-proxy.ts';
import { check, failureOf, withLinks } from './link-under-test.ts';

/** Makes the fake core (`ScriptedCore`) answer all calls except those with the request id `slow`. */
const onlySlow: Script = call => (call.requestId === 'slow' ? undefined : agreeable(call));

/** Sends a call to which the core never replies. The call fails after `timeoutMs`. */
function watchedCall(link: CoreLink, timeoutMs: number) {
  const watched = { isOver: false, code: failureOf(check(link, 'slow', timeoutMs)).then(({ code }) => code) };
  watched.code.finally(() => {
    watched.isOver = true;
  });
  return watched;
}

describe("CoreLink (the gateway's connection to the core)", () => {
  const { core, linkTo } = withLinks();

  /** Opens the gateway's connection to the core (`CoreLink`) through a proxy, which can stall the connection. */
  async function stallableLink(t: TestContext, options: Partial<CoreLinkOptions> = {}) {
    const proxy = await StallingProxy.start(core.address);
    t.after(() => proxy.stop());
    const link = await linkTo({ ...options, address: proxy.address });
    return { proxy, link };
  }

  test('queues calls while the core does not respond, and later sends each call once', async t => {
    const { proxy, link } = await stallableLink(t, { now: () => 0 });
    proxy.stall();
    const early = check(link, 'early');
    while (link.connected) await new Promise(setImmediate);
    const queued = Array.from({ length: 600 }, () => check(link, 'queued'));
    proxy.resume();
    for (const reply of await Promise.all([early, ...queued])) assert.equal(reply.error, null);
    const sent = core.calls.map(({ requestId, held }) => `${requestId} ${held}`);
    assert.deepEqual(sent, ['early false', ...Array(600).fill('queued true')]);
    assert.equal((await check(link, 'after')).error, null);
    assert.equal(core.calls.at(-1)?.held, false);
  });

  test('refuses new calls immediately if the core has not responded for longer than the limit `parkMs`', async t => {
    const { proxy, link } = await stallableLink(t, { parkMs: 50 });
    proxy.stall();
    const early = check(link);
    while (link.connected) await new Promise(setImmediate);
    assert.equal((await failureOf(check(link, '', 100))).code, 'CORE_2');
    const next = failureOf(check(link));
    assert.equal(link.inFlight, 1, 'the next call was not even queued');
    assert.equal((await next).code, 'CORE_1');
    proxy.resume();
    assert.equal((await early).error, null);
    while (!link.connected) await new Promise(setImmediate);
    assert.equal((await check(link)).error, null);
  });

  test('stays connected if a core with 200 calls in progress stops responding', async t => {
    const { proxy, link } = await stallableLink(t, { now: () => 0 });
    core.script = () => undefined;
    const calls = Array.from({ length: 200 }, () => failureOf(check(link, '', 1_500)));
    await core.until(() => core.calls.length === 200);
    // Waits until the core has received two more health checks. The gateway sends the second one only after the core
    // has answered the first one. So the core has then answered a health check while the 200 calls of this test waited
    // for a reply.
    const { healthChecks } = core;
    await core.until(() => core.healthChecks >= healthChecks + 2);
    proxy.stall();
    const slow = watchedCall(link, 500);
    while (!slow.isOver) {
      await new Promise(setImmediate);
      assert.equal(link.connected, true);
    }
    proxy.resume();
    for (const error of await Promise.all(calls)) assert.equal(error.code, 'CORE_2');
  });

  test('fails a call with CORE_1 when the core no longer answers keepalive pings', async t => {
    const { proxy, link } = await stallableLink(t, { security: withKeepaliveTimeout(insecure, 50) });
    proxy.stall();
    assert.equal((await failureOf(check(link, '', 2_000))).code, 'CORE_1');
    proxy.resume();
    while (!link.connected) await new Promise(setImmediate);
    assert.equal((await check(link)).error, null);
  });

  test('stays connected if only the reply to one call is missing', async () => {
    const link = await linkTo();
    core.script = onlySlow;
    const slow = watchedCall(link, 500);
    while (!slow.isOver) {
      await new Promise(setImmediate);
      assert.equal(link.connected, true);
    }
    assert.equal(await slow.code, 'CORE_2');
  });

  test('stays connected if the core answers calls, but no health checks', async t => {
    const link = await linkTo();
    core.script = onlySlow;
    core.answersHealth = false;
    t.after(() => {
      core.answersHealth = true;
    });
    const slow = watchedCall(link, 500);
    while (!slow.isOver) {
      await check(link);
      assert.equal(link.connected, true);
    }
    assert.equal(await slow.code, 'CORE_2');
  });
});
