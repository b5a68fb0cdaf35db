import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { FetchReply } from '../../../proto/generated/codec/fetch.ts';
import type { ServiceError } from '../../../proto/service-error.ts';
import { agreeable } from '../core-scripts.ts';
import { call, check, failureOf, LONG_MS, large, SECRET, withLinks } from './link-under-test.ts';

describe("CoreLink (the gateway's link to the core)", () => {
  const { core, linkTo } = withLinks();

  test('opens four streams to the core, and sends the internal secret of gsq on each of them', async () => {
    const link = await linkTo({ secret: SECRET });
    assert.equal(link.connected, true);
    assert.deepEqual(core.secrets, Array(4).fill(SECRET));
  });

  test('sends the calls of one turn of the event loop in one message', async () => {
    const link = await linkTo();
    await Promise.all([check(link, 'a'), check(link, 'b'), check(link, 'c')]);
    assert.deepEqual(
      core.messages.map(({ calls }) => calls.map(({ requestId }) => requestId)),
      [['a', 'b', 'c']],
    );
    assert.equal(new Set(core.calls.map(({ id }) => id)).size, 3);
  });

  test('combines calls into messages of at most 1 MiB', async () => {
    const link = await linkTo();
    const half = 600 * 1024;
    await Promise.all([
      call(link, large(half), { requestId: 'a' }),
      call(link, large(half), { requestId: 'b' }),
      check(link, 'c'),
    ]);
    const sent = core.messages.map(({ calls }) => calls.map(({ requestId }) => requestId).join());
    assert.deepEqual(sent.sort(), ['a', 'b,c']);
  });

  test('can send twelve calls of 1 MiB each at the same time', async () => {
    const link = await linkTo();
    const calls = Array.from({ length: 12 }, () => call(link, large(1024 * 1024), {}));
    for (const reply of await Promise.all(calls)) assert.ok(reply.fetched);
  });

  test('assigns replies to calls by id, even after a call without a reply', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = call => {
      if (call.requestId === 'late') return undefined;
      return { fetched: { body: Buffer.from(call.requestId) } };
    };
    const late = check(link, 'late', 50).catch((error: ServiceError) => error.code);
    const replies = await Promise.all(['x', 'y', 'z'].map(id => check(link, id)));
    assert.deepEqual(
      replies.map(reply => reply.fetched?.body.toString()),
      ['x', 'y', 'z'],
    );
    assert.equal(await late, 'CORE_2');
  });

  test('ignores a reply that arrives on a different stream than its call', async () => {
    const link = await linkTo({ streams: 2 });
    core.script = () => undefined;
    const first = check(link, 'first');
    await core.until(() => core.calls.length === 1);
    const second = check(link, 'second');
    await core.until(() => core.calls.length === 2);
    const ids = core.calls.map(({ id }) => id);
    core.sayOnEach(stream => ids.map(id => ({ id, fetched: { body: Buffer.of(stream) } })));
    const bodies = (await Promise.all([first, second])).map(({ fetched }) => fetched?.body[0]);
    assert.deepEqual(bodies.sort(), [0, 1]);
  });

  test('distributes concurrent calls over its streams', async () => {
    const link = await linkTo();
    core.script = () => undefined;
    const calls: Promise<ServiceError>[] = [];
    for (let i = 1; i <= 4; i++) {
      calls.push(failureOf(check(link)));
      await core.until(() => core.messages.length === i);
    }
    core.endOneStream(status.UNAUTHENTICATED);
    const first = await Promise.race(calls);
    assert.equal(first.code, 'CORE_1');
    assert.equal(link.inFlight, 3);
    core.endStreams(status.UNAUTHENTICATED);
    await Promise.all(calls);
  });

  test('fails a call with CORE_2 at its deadline, and forgets the call', async () => {
    const link = await linkTo();
    core.script = () => undefined;
    assert.equal((await failureOf(check(link, '', 20))).code, 'CORE_2');
    assert.equal(link.inFlight, 0);
  });

  test('ignores a reply that arrives after the deadline of its call', async () => {
    const link = await linkTo({ streams: 1 });
    core.script = () => undefined;
    await failureOf(check(link, '', 20));
    const [slow] = core.calls;
    core.script = agreeable;
    core.say({ id: slow?.id ?? 0, checked: {} });
    assert.equal((await check(link)).error, null);
  });

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
