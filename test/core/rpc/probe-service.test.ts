import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { payloadObject } from '../../../proto/codec/payload-object.ts';
import type { Hello } from '../../../proto/generated/gsq/v1/Hello.ts';
import type { Lease__Output } from '../../../proto/generated/gsq/v1/Lease.ts';
import type { SessionResponse__Output } from '../../../proto/generated/gsq/v1/SessionResponse.ts';
import { payloadFields } from '../payload-of.ts';
import { Inbox } from './answer.ts';
import { runningCore } from './running-core.ts';

async function opened(t: TestContext) {
  const core = await runningCore(t);
  const join = (maxInFlight: number, back: Partial<Hello> = {}) => {
    const stream = core.client.probe.session();
    t.after(() => stream.cancel());
    const inbox = new Inbox<SessionResponse__Output>(stream);
    const leases = (): Lease__Output[] => inbox.messages.flatMap(message => message.leases?.leases ?? []);
    stream.write({ hello: { prober: 'test', maxInFlight, ...back } });
    return {
      stream,
      inbox,
      leases,
      session: (): string => inbox.messages[0]?.welcome?.session ?? '',
      acks: (): number[] => inbox.messages.flatMap(({ ack }) => (ack ? [ack.seq] : [])),
      report(seq: number, leaseIds: number[], queryPort = 27016): void {
        const reports = leaseIds.map(leaseId => ({
          leaseId,
          outcome: 'PROBE_OUTCOME_ONLINE' as const,
          payload: payloadFields(),
          queryPort,
        }));
        stream.write({ reports: { seq, reports } });
      },
      untilLeases: (count: number) => inbox.until(() => leases().length >= count),
    };
  };
  return { ...core, join };
}

/** Resolves when the dispatcher has exactly `count` connected probers. */
async function untilProbers(core: { dispatcher: { probers: number } }, count: number): Promise<void> {
  while (core.dispatcher.probers !== count) await new Promise(setImmediate);
}

test('a prober first receives a welcome message with target networks and session id, and then leases', async t => {
  const { join, track } = await opened(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  const { session, ...welcome } = prober.inbox.messages[0]?.welcome ?? {};
  assert.deepEqual(welcome, {
    allowTargets: ['127.0.0.0/8'],
    denyTargets: ['127.9.0.0/16'],
    lastSeq: 0,
  });
  assert.match(session ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    prober.leases().map(({ host, port, queryPorts, gameId }) => [host, port, queryPorts, gameId]),
    [['1.2.3.4', 27015, [27015], 'csgo']],
  );
});

test('a prober never holds more leases than its capacity', async t => {
  const { join, track, store } = await opened(t);
  await track(...Array.from({ length: 20 }, (_, i) => `1.2.3.4:${2000 + i}`));
  const prober = join(5);
  await prober.untilLeases(5);
  prober.report(
    1,
    prober.leases().map(({ leaseId }) => leaseId),
  );
  await prober.untilLeases(10);
  assert.deepEqual([prober.leases().length, store.stats().leased, store.stats().online], [10, 5, 5]);
});

test('a report is acknowledged after it was recorded', async t => {
  const { join, track, store } = await opened(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  prober.report(41, [prober.leases()[0]?.leaseId ?? 0]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.deepEqual(prober.acks(), [41]);
  const [record] = store.getMany(['csgo 1.2.3.4:27015']);
  assert.deepEqual([record?.status, record?.queryPort], ['online', 27016]);
});

test('a missing player count in a report means zero from a prober of release 0.1.0, and unknown from a newer prober', async t => {
  for (const absentCounts of [false, true]) {
    const { join, track, store } = await opened(t);
    await track('1.2.3.4:27015');
    const prober = join(1, { absentCounts });
    await prober.untilLeases(1);
    const [lease] = prober.leases();
    const outcome = 'PROBE_OUTCOME_ONLINE' as const;
    const reports = [{ leaseId: lease?.leaseId ?? 0, outcome, payload: { name: 'Empty' } }];
    prober.stream.write({ reports: { seq: 1, reports } });
    await prober.inbox.until(() => prober.acks().length === 1);
    const { players, maxplayers } = payloadObject(
      store.getMany(['csgo 1.2.3.4:27015'])[0]?.data ?? Buffer.alloc(0),
    );
    assert.deepEqual([players, maxplayers], absentCounts ? [undefined, undefined] : [0, 0]);
  }
});

test('a report for which the prober has no lease is acknowledged, but not recorded', async t => {
  const { join, store } = await opened(t);
  const prober = join(10);
  prober.report(1, [12345]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.equal(store.stats().tracked, 0);
});

test('if a report contains an invalid query port, it is recorded without a query port', async t => {
  const { join, track, store } = await opened(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  prober.report(1, [prober.leases()[0]?.leaseId ?? 0], 70_000);
  await prober.inbox.until(() => prober.acks().length === 1);
  const [record] = store.getMany(['csgo 1.2.3.4:27015']);
  assert.deepEqual([record?.status, record?.queryPort], ['online', 0]);
});

test('challenges, failure reason and retry delay of a report are recorded', async t => {
  const { join, track, store, clock } = await opened(t);
  await track('1.2.3.4:27015', '1.2.3.5:27015');
  const prober = join(10);
  await prober.untilLeases(2);
  const [silent = 0, heldBack = 0] = prober.leases().map(({ leaseId }) => leaseId);
  const signals = { packetsSent: 2, packetsLost: 2, challenged: true, address: '1.2.3.4' };
  const failed = { outcome: 'PROBE_OUTCOME_REFUSED' as const, signals };
  const reports = [
    { leaseId: silent, ...failed },
    { leaseId: heldBack, outcome: 'PROBE_OUTCOME_HELD_BACK' as const, retryAfterMs: 3_600_000 },
  ];
  prober.stream.write({ reports: { seq: 1, reports } });
  await prober.inbox.until(() => prober.acks().length === 1);
  const recordOf = (address: string) => store.getMany([`csgo ${address}`])[0];
  const [first, second] = [recordOf('1.2.3.4:27015'), recordOf('1.2.3.5:27015')];
  assert.deepEqual([first?.reason, first?.lastProbeAt, first?.label], ['refused', clock.at, 'none']);
  assert.deepEqual([second?.lastProbeAt, second?.nextProbeAt], [0, clock.at + 60_000]);
  // The label challenge_only needs three probes with a challenge.
  for (let look = 2; look <= 3; look++) {
    clock.at = recordOf('1.2.3.4:27015')?.nextProbeAt ?? 0;
    await prober.untilLeases(look + 1);
    const leaseId = prober.leases()[look]?.leaseId ?? 0;
    prober.stream.write({ reports: { seq: look, reports: [{ leaseId, ...failed }] } });
    await prober.inbox.until(() => prober.acks().length === look);
  }
  assert.equal(recordOf('1.2.3.4:27015')?.label, 'challenge_only');
});

test('reports before the hello message are ignored, and a second hello message on the same stream is ignored', async t => {
  const { client, dispatcher } = await opened(t);
  const stream = client.probe.session();
  t.after(() => stream.cancel());
  const inbox = new Inbox<SessionResponse__Output>(stream);
  stream.write({ reports: { seq: 1, reports: [] } });
  for (const name of ['one', 'two']) stream.write({ hello: { prober: name, maxInFlight: 1 } });
  stream.write({ reports: { seq: 2, reports: [] } });
  await inbox.until(messages => messages.some(({ ack }) => ack));
  assert.deepEqual(
    inbox.messages.map(({ message, ack }) => [message, ack?.seq]),
    [
      ['welcome', undefined],
      ['ack', 2],
    ],
  );
  assert.equal(dispatcher.probers, 1);
});

test('when a prober ends its session, its leased servers are leased to another prober immediately', async t => {
  const { join, track, dispatcher } = await opened(t);
  await track('1.2.3.4:27015', '1.2.3.4:27016');
  const first = join(10);
  await first.untilLeases(2);
  first.stream.end();
  await untilProbers({ dispatcher }, 0);
  const second = join(10);
  await second.untilLeases(2);
  const ids = [...first.leases(), ...second.leases()].map(({ leaseId }) => leaseId);
  assert.equal(new Set(ids).size, 4, 'as new leases');
});

test('when the stream of a prober breaks, its leases are kept for two seconds, and then go to another prober', async t => {
  const { join, track, dispatcher, store, clock } = await opened(t);
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

test('a prober that resumes its session after a broken stream keeps its leases, and no report is recorded twice', async t => {
  const { join, track, dispatcher, store } = await opened(t);
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

test('leases that were lost with a broken stream are sent again after the prober has resumed its session', async t => {
  const { join, track, dispatcher, store } = await opened(t);
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
  const { join, track, dispatcher, store } = await opened(t);
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

test('a prober that sends an unknown session id gets a new session without leases', async t => {
  const { join, track, store } = await opened(t);
  await track('1.2.3.4:27015');
  const prober = join(10, { session: 'of an earlier core', leasesReceived: 7 });
  await prober.untilLeases(1);
  assert.notEqual(prober.session(), 'of an earlier core');
  prober.report(1, [4711]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.equal(store.stats().pending, 1);
});

test('a core that shuts down ends the session of a prober with OK and releases its leases', async t => {
  const { join, track, closing, store, dispatcher } = await opened(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  closing.abort();
  prober.report(1, [prober.leases()[0]?.leaseId ?? 0]);
  assert.equal(await prober.inbox.over, undefined);
  assert.deepEqual([dispatcher.probers, store.stats().leased], [0, 0]);
});
