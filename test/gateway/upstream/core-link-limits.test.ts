import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { FetchReply } from '../../../proto/generated/codec/fetch.ts';
import { agreeable } from '../core-scripts.ts';
import { call, check, failureOf, LONG_MS, large, withLinks } from './link-under-test.ts';

describe("CoreLink (the gateway's link to the core)", () => {
  const { core, linkTo } = withLinks();

  test('accepts 400 calls within 100 ms, and then refuses further calls because the core has answered none of them', async () => {
    let now = 0;
    const link = await linkTo({ now: () => now });
    core.script = () => undefined;
    const replies = new Map<string, Promise<FetchReply>>();
    const fill = async (calls: number): Promise<void> => {
      for (let i = 0; i < calls; i++) {
        const name = String(replies.size);
        replies.set(name, check(link, name, 5 * LONG_MS));
      }
      await core.until(() => core.calls.length === replies.size);
    };
    const release = async (from: number, to: number): Promise<void> => {
      const calls = core.calls.slice(from, to);
      for (const { id } of calls) core.say({ id, checked: {} });
      await Promise.all(calls.map(({ requestId }) => replies.get(requestId)));
    };
    await fill(300);
    now = 100;
    await fill(100);
    now = 101;
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    // At least 128 calls were open for over 100 ms, so the gateway now accepts a call only if fewer than 256 calls are
    // open. The fake core now answers 145 of the 400 calls that this test has opened, so 255 stay open. Therefore the
    // gateway accepts exactly one more call.
    await release(0, 145);
    await fill(1);
    assert.equal((await failureOf(check(link))).code, 'CORE_1');
    await release(145, 274);
    await fill(300);
    assert.equal(link.inFlight, 427);
    await release(274, 701);
  });

  test('accepts a call while 400 earlier calls wait for a probe of a game server', async () => {
    let now = 0;
    const link = await linkTo({ now: () => now });
    core.script = () => undefined;
    const parked = Array.from({ length: 400 }, () => call(link, null, { waitsForProbe: true }));
    now = 10_000;
    await core.until(() => core.calls.length === 400);
    const one = check(link, 'one');
    await core.until(() => core.calls.length === 401);
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all([one, ...parked]);
    assert.equal(link.inFlight, 0);
  });

  test('fails a call immediately with CORE_1 and Retry-After if the maximum number of calls is in progress', async () => {
    const link = await linkTo({ maxInFlight: 2 });
    core.script = () => undefined;
    const parked = [failureOf(check(link)), failureOf(check(link))];
    const error = await failureOf(check(link));
    assert.equal(error.code, 'CORE_1');
    assert.equal(error.details.retryAfterSeconds, 1);
    await core.until(() => core.calls.length === 2);
    core.endStreams(status.UNAUTHENTICATED);
    await Promise.all(parked);
    core.script = agreeable;
    assert.equal((await check(link)).error, null);
  });

  test('stops writing to a stream from which the core does not read (backpressure)', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = () => undefined;
    core.pauseReading();
    const calls = Array.from({ length: 100 }, () =>
      failureOf(call(link, large(1024 * 1024), { timeoutMs: 300 })),
    );
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    // The fake core reads nothing, so it answers none of the calls. The gateway accepts the first calls. They wait for
    // their replies until their deadline, and then fail with CORE_2.
    assert.ok(codes.slice(0, 60).every(code => code === 'CORE_2'));
    // The queue of a CoreLink has room for 64 MiB. When it is full, the CoreLink refuses further calls immediately.
    assert.ok(codes.slice(80).every(code => code === 'CORE_1'));
    core.resumeReading();
    core.script = agreeable;
    assert.equal((await check(link)).error, null);
    assert.ok(core.calls.length < 50, `${core.calls.length} calls were written to a stream nobody read`);
  });
});
