import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { ServiceError } from '../../../proto/service-error.ts';
import { agreeable } from '../core-scripts.ts';
import { call, check, failureOf, large, SECRET, withLinks } from './link-under-test.ts';

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
});
