import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionResponse__Output } from '../../../proto/generated/gsq/v1/SessionResponse.ts';
import { Inbox } from './answer.ts';
import { openedProbeService, untilProbers } from './joined-prober.ts';

test('a prober first gets a welcome with the target networks and its session id, and then leases (orders to probe)', async t => {
  const { join, track } = await openedProbeService(t);
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

test('a prober never has more leases (orders to probe a server) than its capacity', async t => {
  const { join, track, store } = await openedProbeService(t);
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

test('the core ignores probe reports that a prober sends before its hello message', async t => {
  const { client, dispatcher } = await openedProbeService(t);
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

test('when a prober ends its session, a different prober immediately gets new leases (orders to probe) for the same servers', async t => {
  const { join, track, dispatcher } = await openedProbeService(t);
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

test('a core that shuts down ends the session of a prober with OK and releases its leases (orders to probe)', async t => {
  const { join, track, closing, store, dispatcher } = await openedProbeService(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  closing.abort();
  prober.report(1, [prober.leases()[0]?.leaseId ?? 0]);
  assert.equal(await prober.inbox.over, undefined);
  assert.deepEqual([dispatcher.probers, store.stats().leased], [0, 0]);
});
