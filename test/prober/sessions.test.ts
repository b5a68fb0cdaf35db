import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { Sessions } from '../../prober/sessions.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { answering } from './opened-session.ts';
import { Core } from './scripted-core.ts';

/** Fake list of the cores of a cluster. The test decides which cores it contains. */
class FakeMembers {
  addresses: readonly string[];
  readonly #listeners = new Set<() => void>();

  constructor(...cores: Core[]) {
    this.addresses = cores.map(({ address }) => address);
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(...cores: Core[]): void {
    this.addresses = cores.map(({ address }) => address);
    for (const listener of this.#listeners) listener();
  }
}

async function startCores(t: TestContext, count: number): Promise<Core[]> {
  const cores = Array.from({ length: count }, () => new Core());
  for (const core of cores) {
    await core.start();
    t.after(() => core.stop());
  }
  return cores;
}

/**
 * Opens the sessions of a prober with the cores. The prober has a capacity of 100 leases (orders to probe a server).
 */
function openSessions(t: TestContext, members: FakeMembers): Sessions {
  const sessions = new Sessions({
    members,
    clientOf: address => clients.probe(address),
    metadata: internalMetadata('between us'),
    prober: 'a prober',
    maxInFlight: 100,
    probe: (lease, policy, probed) => void answering(lease, policy).then(probed),
    log: pino({ level: 'silent' }),
  });
  t.after(() => sessions.close());
  return sessions;
}

const hellos = ({ messages }: Core) => messages.flatMap(({ hello }) => (hello ? [hello] : []));

test('a prober has a session with each core, and announces an equal part of its capacity to each core', async t => {
  const cores = await startCores(t, 3);
  const sessions = openSessions(t, new FakeMembers(...cores));
  for (const [i, core] of cores.entries()) {
    await core.until(() => core.messages.length === 1);
    assert.equal(hellos(core)[0]?.maxInFlight, 33);
    assert.equal(sessions.connected, false);
    core.seat(`session-${i}`);
  }
  for (const core of cores) {
    core.lease(1, 2);
    await core.until(() => core.reports.length === 1);
    assert.deepEqual(core.reports, [{ seq: 1, leaseIds: [1, 2] }]);
  }
  assert.equal(sessions.connected, true);
});

test('the prober halves the capacity that it announces to a core if a second core joins the cluster', async t => {
  const [first, joining] = (await startCores(t, 2)) as [Core, Core];
  const members = new FakeMembers(first);
  openSessions(t, members);
  await first.until(() => first.messages.length === 1);
  first.seat('a session');
  first.lease(1);
  await first.until(() => first.reports.length === 1);
  members.change(first, joining);
  await first.until(() => hellos(first).length === 2);
  const [before, after] = hellos(first);
  assert.deepEqual([before?.maxInFlight, after?.maxInFlight], [100, 50]);
  assert.deepEqual([after?.session, after?.leasesReceived], ['a session', 1]);
  await joining.until(() => joining.messages.length === 1);
  assert.equal(hellos(joining)[0]?.maxInFlight, 50);
  // The core has not acknowledged the probe report, so the prober sends it again in the resumed session.
  first.seat('a session');
  await first.until(() => first.reports.length === 2);
  assert.deepEqual(first.reports[1], { seq: 1, leaseIds: [1] });
});

test('if one of two cores leaves the cluster, the prober ends the session with this core, and offers its whole capacity to the remaining core', async t => {
  const [staying, leaving] = (await startCores(t, 2)) as [Core, Core];
  const members = new FakeMembers(staying, leaving);
  const sessions = openSessions(t, members);
  for (const core of [staying, leaving]) {
    await core.until(() => core.messages.length === 1);
    core.seat('a session');
  }
  leaving.lease(1);
  await leaving.until(() => leaving.reports.length === 1);
  const ended = new Promise(resolve => leaving.newest.once('end', resolve));
  members.change(staying);
  await ended;
  await staying.until(() => hellos(staying).length === 2);
  assert.equal(hellos(staying)[1]?.maxInFlight, 100);
  assert.equal(hellos(leaving).length, 1);
  staying.seat('a session');
  staying.lease(1);
  await staying.until(() => staying.reports.length === 1);
  assert.equal(sessions.connected, true);
});

test('if one of two cores dies, the prober keeps its session with the living core', async t => {
  const [living, dying] = (await startCores(t, 2)) as [Core, Core];
  const sessions = openSessions(t, new FakeMembers(living, dying));
  for (const core of [living, dying]) {
    await core.until(() => core.messages.length === 1);
    core.seat('a session');
  }
  dying.stop();
  living.lease(1);
  await living.until(() => living.reports.length === 1);
  assert.equal(sessions.connected, true);
  await dying.start();
  await dying.until(() => hellos(dying).length === 2);
  assert.equal(hellos(living).length, 1);
});
