import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openedProbeService, untilProbers } from './joined-prober.ts';

test('when the stream of a prober breaks, its servers stay reserved for two seconds, and then a different prober gets them', async t => {
  const { join, track, dispatcher, store, clock } = await openedProbeService(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  const first = join(10);
  await first.untilLeases(2);
  first.stream.cancel();
  await untilProbers({ dispatcher }, 0);
  const second = join(10);
  await second.inbox.until(messages => messages.length === 1);
  clock.at += 1_999;
  assert.equal(store.stats().leased, 2);
  clock.at += 1;
  await second.untilLeases(2);
  const ids = [...first.leases(), ...second.leases()].map(({ leaseId }) => leaseId);
  assert.equal(new Set(ids).size, 4, 'as new leases');
});

test('a prober that resumes its session after a broken stream keeps its leases (orders to probe), and no report is recorded twice', async t => {
  const { join, track, dispatcher, store } = await openedProbeService(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  const first = join(10);
  await first.untilLeases(2);
  const [one = 0, two = 0] = first.leases().map(({ leaseId }) => leaseId);
  first.report(1, [one]);
  await first.inbox.until(() => first.acks().length === 1);
  first.stream.cancel();
  await untilProbers({ dispatcher }, 0);
  const back = join(10, { session: first.session(), leasesReceived: 2 });
  await back.inbox.until(messages => messages.length === 1);
  const [{ welcome } = {}] = back.inbox.messages;
  assert.deepEqual([welcome?.session, welcome?.lastSeq], [first.session(), 1]);
  const versions = () =>
    store.getMany(['csgo 1.2.3.4:27015', 'csgo 1.2.3.4:27016']).map(server => server?.version);
  const before = versions();
  back.report(1, [one, two]);
  await back.inbox.until(() => back.acks().length === 1);
  assert.equal(store.stats().online, 1, 'a message of that number was recorded already');
  back.report(2, [two]);
  await back.inbox.until(() => back.acks().length === 2);
  assert.deepEqual(back.acks(), [1, 2]);
  const after = versions();
  const changes = after.map((version, i) => (version ?? 0) - (before[i] ?? 0)).sort();
  assert.deepEqual(changes, [0, 1], 'the first message was applied again');
  assert.equal(store.stats().online, 2);
});

test('when a prober resumes its session, the core sends the leases (servers to probe) that the broken stream did not deliver', async t => {
  const { join, track, dispatcher, store } = await openedProbeService(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  const first = join(10);
  await first.untilLeases(2);
  first.stream.cancel();
  await untilProbers({ dispatcher }, 0);
  const back = join(10, { session: first.session(), leasesReceived: 1 });
  await back.untilLeases(1);
  const [again] = back.leases();
  assert.equal(again?.port, first.leases()[1]?.port);
  assert.equal(store.stats().leased, 2);
});

test('a prober can resume its session before the core notices that the old stream is broken', async t => {
  const { join, track, dispatcher, store } = await openedProbeService(t);
  await track('1.2.3.4:27015');
  const first = join(10);
  await first.untilLeases(1);
  const [lease] = first.leases();
  const back = join(10, { session: first.session(), leasesReceived: 1 });
  await back.inbox.until(messages => messages.length === 1);
  assert.equal(back.session(), first.session());
  assert.equal(dispatcher.probers, 1);
  back.report(1, [lease?.leaseId ?? 0]);
  await back.inbox.until(() => back.acks().length === 1);
  assert.equal(store.stats().online, 1);
  first.stream.end();
  await first.inbox.over;
  assert.equal(dispatcher.probers, 1);
});

test('a prober that sends an unknown session id gets a new session without the leases (orders to probe) of an earlier session', async t => {
  const { join, track, store } = await openedProbeService(t);
  await track('1.2.3.4:27015');
  const prober = join(10, { session: 'of an earlier core', leasesReceived: 7 });
  await prober.untilLeases(1);
  assert.notEqual(prober.session(), 'of an earlier core');
  prober.report(1, [4711]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.equal(store.stats().pending, 1);
});
