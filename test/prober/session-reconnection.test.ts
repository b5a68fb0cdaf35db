import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { answering, opened, waitingForFirst, welcomed } from './opened-session.ts';
import { Core } from './scripted-core.ts';

for (const code of [status.UNAVAILABLE, status.OK, status.UNAUTHENTICATED]) {
  test(`a prober session reconnects if the core ends the stream with the gRPC status ${status[code]}`, async t => {
    const { core, session } = await welcomed(t);
    core.lease(1);
    await core.until(() => core.reports.length === 1);
    if (code === status.OK) core.newest.end();
    else core.newest.emit('error', { code, details: 'away' });
    await core.until(() => core.streams.length === 2 && core.messages.at(-1)?.hello !== undefined);
    assert.equal(session.connected, false);
    core.welcome();
    core.lease(2);
    await core.until(() => core.reports.length === 2);
    assert.deepEqual(core.reports[1], { seq: 1, leaseIds: [2] }, 'a new session counts anew');
  });
}

test('a prober session reconnects to a core that was killed and started again', async t => {
  const { core } = await welcomed(t);
  core.stop();
  await core.start();
  await core.until(() => core.streams.length === 2);
});

test('if a prober session starts before the core, it connects as soon as the core has started', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  assert.equal(session.connected, false);
  await core.start();
  await core.until(() => core.streams.length === 1);
});

test('if the core starts a new session after a stream has ended, the prober does not report probes of the old session', async t => {
  const { core, release } = await waitingForFirst(t);
  core.newest.end();
  await core.until(() => core.streams.length === 2);
  release();
  core.welcome();
  core.lease(3);
  await core.until(() => core.reports.length === 2);
  assert.deepEqual(
    core.reports.map(({ leaseIds }) => leaseIds),
    [[2], [3]],
  );
});

/**
 * Breaks the newest stream of the fake core. Resolves to the Hello message that the prober sends on the next stream.
 */
async function brokenAndBack(core: Core) {
  const before = core.streams.length;
  core.newest.emit('error', { code: status.UNAVAILABLE, details: 'broken' });
  const hello = () => core.messages.at(-1)?.hello;
  await core.until(() => core.streams.length > before && hello() !== undefined && hello() !== null);
  return hello();
}

test('a resumed prober session sends unacknowledged messages again with the same numbers, and sends no acknowledged message again', async t => {
  const { core, session } = await opened(t);
  await core.until(() => core.messages.length === 1);
  core.seat('one');
  for (const id of [1, 2, 3]) {
    core.lease(id);
    await core.until(() => core.reports.length === id);
  }
  core.acknowledge(1);
  core.lease(4);
  await core.until(() => core.reports.length === 4);
  const hello = await brokenAndBack(core);
  assert.deepEqual([hello?.session, hello?.leasesReceived], ['one', 4]);
  assert.equal(session.connected, false);
  const before = core.reports.length;
  // In this test, the core has recorded message 2, but the stream broke before the prober received the acknowledgement.
  // Therefore the core's Welcome message says that message 2 is recorded. The prober must then not send message 2
  // again.
  core.seat('one', 2);
  core.lease(5);
  await core.until(() => core.reports.flatMap(({ leaseIds }) => leaseIds).includes(5));
  assert.deepEqual(core.reports.slice(before), [
    { seq: 3, leaseIds: [3] },
    { seq: 4, leaseIds: [4] },
    { seq: 5, leaseIds: [5] },
  ]);
});

test('a resumed prober session reports the probes that were running when its stream broke', async t => {
  let release = (): void => {};
  const waiting = new Promise<void>(resolve => {
    release = resolve;
  });
  const { core } = await opened(t, async (lease, policy) => {
    await waiting;
    return answering(lease, policy);
  });
  await core.until(() => core.messages.length === 1);
  core.seat('one');
  core.lease(1, 2);
  const hello = await brokenAndBack(core);
  assert.ok(Number(hello?.leasesReceived) <= 2);
  release();
  core.seat('one');
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(core.reports, [{ seq: 1, leaseIds: [1, 2] }]);
});

test('a new prober session does not send reports of the previous session, and numbers its messages from 1', async t => {
  const { core } = await opened(t);
  await core.until(() => core.messages.length === 1);
  core.seat('one');
  core.lease(1);
  await core.until(() => core.reports.length === 1);
  await brokenAndBack(core);
  core.seat('two');
  core.lease(2);
  await core.until(() => core.reports.length === 2);
  assert.deepEqual(core.reports[1], { seq: 1, leaseIds: [2] });
});
