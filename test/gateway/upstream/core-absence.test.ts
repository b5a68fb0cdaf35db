import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { agreeable } from '../core-scripts.ts';
import { check, failureOf, LONG_MS, withLinks } from './link-under-test.ts';

describe("CoreLink (the gateway's connection to the core)", () => {
  const { core, startLink, linkTo } = withLinks();

  test('sends unanswered calls again before queued calls when the core is back', async () => {
    const link = await linkTo({ parkMs: LONG_MS });
    core.script = () => undefined;
    const lost = check(link, 'lost');
    await core.until(() => core.calls.length === 1);
    core.stop();
    core.script = agreeable;
    const parked = check(link, 'parked');
    await core.start();
    for (const reply of await Promise.all([lost, parked])) assert.equal(reply.error, null);
    assert.deepEqual(
      core.calls.map(({ requestId }) => requestId),
      ['lost', 'lost', 'parked'],
    );
  });

  test('sets the field `held` to true only in calls that waited in the queue while the core was away', async () => {
    const link = await linkTo({ parkMs: LONG_MS });
    await check(link, 'before');
    core.stop();
    const gone = check(link, 'on a dying stream or parked');
    while (link.connected) await new Promise(setImmediate);
    const parked = check(link, 'parked');
    await core.start();
    await Promise.all([gone, parked]);
    await check(link, 'after');
    const isParked = (name: string) => core.calls.findLast(({ requestId }) => requestId === name)?.held;
    assert.deepEqual(['before', 'parked', 'after'].map(isParked), [false, true, false]);
  });

  test('sends at most 128 queued calls at a time when the core is back', async () => {
    const now = () => 0;
    const link = await linkTo({ parkMs: LONG_MS, maxInFlight: 200, now });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const parked = Array.from({ length: 600 }, () => check(link));
    core.script = () => undefined;
    await core.start();
    let answered = 0;
    while (answered < 600) {
      await core.until(() => core.calls.length > answered);
      const calls = core.calls.slice(answered);
      assert.ok(calls.length <= 4 * 32, `${calls.length} calls are with the core at once`);
      answered += calls.length;
      for (const { id } of calls) core.say({ id, checked: {} });
    }
    await Promise.all(parked);
    core.script = agreeable;
    await Promise.all(Array.from({ length: 150 }, () => check(link)));
  });

  test('fails a call immediately with CORE_1 if the queue of the link is full', async () => {
    const link = await linkTo({ parkMs: LONG_MS, maxParked: 3 });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const parked = [check(link), check(link), check(link)];
    const error = await failureOf(check(link));
    assert.deepEqual([error.code, error.details.retryAfterSeconds], ['CORE_1', 1]);
    await core.start();
    await Promise.all(parked);
  });

  test('queues calls until their deadlines if the core accepts the TCP connection but never sends data', async t => {
    const sockets: Socket[] = [];
    const silent = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    const { port } = silent.address() as AddressInfo;
    const link = startLink({ address: `127.0.0.1:${port}`, parkMs: LONG_MS });
    // Each call fails at its own deadline. The second call has the earlier deadline, so it must fail before the first
    // call.
    const failed: string[] = [];
    const long = failureOf(check(link, '', 700)).then(({ code }) => failed.push(`long ${code}`));
    const short = failureOf(check(link, '', 20)).then(({ code }) => failed.push(`short ${code}`));
    await Promise.all([long, short]);
    assert.deepEqual(failed, ['short CORE_1', 'long CORE_1']);
    const next = check(link, '', 20);
    assert.equal(link.inFlight, 1, 'the next call was queued');
    await failureOf(next);
  });

  test('fails the queued calls with CORE_1 when the gateway begins to shut down (stopParking())', async () => {
    const link = await linkTo({ parkMs: LONG_MS });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    const parked = failureOf(check(link));
    link.stopParking();
    assert.equal((await parked).code, 'CORE_1');
    await core.start();
    await core.until(() => core.streams === 4);
    assert.equal((await check(link)).error, null);
  });

  test('fails new calls immediately if the core is absent for longer than the limit `parkMs`', async () => {
    const link = startLink({ address: '127.0.0.1:1', parkMs: 50 });
    assert.equal(link.connected, false);
    const queued = failureOf(check(link, '', 200));
    assert.equal((await failureOf(check(link, '', 100))).code, 'CORE_1');
    const next = failureOf(check(link));
    assert.equal(link.inFlight, 1, 'the next call was not even queued');
    assert.equal((await next).code, 'CORE_1');
    assert.equal((await queued).code, 'CORE_1');
  });

  test('sends new calls when the core is back, even if earlier calls have failed', async () => {
    const link = await linkTo({ parkMs: 20 });
    core.stop();
    while (link.connected) await new Promise(setImmediate);
    assert.equal((await failureOf(check(link, '', 40))).code, 'CORE_1');
    const next = failureOf(check(link));
    assert.equal(link.inFlight, 0, 'the next call was not even queued');
    await next;
    await core.start();
    await core.until(() => core.streams === 4);
    assert.equal((await check(link)).error, null);
  });
});
