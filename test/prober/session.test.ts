import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { type TestContext, test } from 'node:test';
import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import type { TargetPolicy } from '../../net/targets.ts';
import { Session } from '../../prober/session.ts';
import { clients, INTERNAL_SECRET_KEY, internalMetadata } from '../../proto/clients.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { Lease, Lease__Output } from '../../proto/generated/gsq/v1/Lease.ts';
import type { ProbeServiceHandlers } from '../../proto/generated/gsq/v1/ProbeService.ts';
import type { SessionRequest__Output } from '../../proto/generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse } from '../../proto/generated/gsq/v1/SessionResponse.ts';
import type { StatusReport } from '../../proto/generated/gsq/v1/StatusReport.ts';

type Stream = ServerDuplexStream<SessionRequest__Output, SessionResponse>;

/** The core's half of sessions, played by the test over real gRPC. */
class Core {
  /** Whether it ends its half of a stream when the prober does; a frozen one does not. */
  frozen = false;
  readonly streams: Stream[] = [];
  readonly messages: SessionRequest__Output[] = [];
  readonly #watchers: { met: () => boolean; resolve: () => void }[] = [];
  #server = new Server();
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get newest(): Stream {
    const stream = this.streams.at(-1);
    assert.ok(stream);
    return stream;
  }

  /** Every report that came, in order. */
  get reports(): { seq: number; leaseIds: number[] }[] {
    return this.messages.flatMap(({ reports }) =>
      reports ? [{ seq: reports.seq, leaseIds: reports.reports.map(({ leaseId }) => leaseId) }] : [],
    );
  }

  async start(): Promise<void> {
    this.#server = new Server();
    const handlers: ProbeServiceHandlers = {
      Session: stream => {
        this.streams.push(stream);
        stream.on('data', (message: SessionRequest__Output) => {
          this.messages.push(message);
          this.#changed();
        });
        stream.on('end', () => {
          if (!this.frozen) stream.end();
        });
        stream.on('error', () => {});
        this.#changed();
      },
    };
    this.#server.addService(gsqV1.ProbeService.service, handlers);
    this.#port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(this.address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  /** Dies as a killed process does. */
  stop(): void {
    this.#server.forceShutdown();
  }

  welcome(allowTargets: string[] = [], denyTargets: string[] = []): void {
    this.newest.write({ welcome: { allowTargets, denyTargets } });
  }

  /** Welcomes into a session, as far as it is recorded. */
  seat(session: string, lastSeq = 0): void {
    this.newest.write({ welcome: { session, lastSeq } });
  }

  acknowledge(seq: number): void {
    this.newest.write({ ack: { seq } });
  }

  lease(...ids: number[]): void {
    const leases = ids.map((leaseId): Lease => ({ leaseId, host: '1.2.3.4', port: 27015 }));
    this.newest.write({ leases: { leases } });
  }

  /** Resolves as soon as `met` holds; looks whenever a stream opens or a message comes. */
  until(met: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#watchers.push({ met, resolve });
      this.#changed();
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) {
      if (watcher.met()) watcher.resolve();
      else this.#watchers.push(watcher);
    }
  }
}

type Probe = (lease: Lease__Output, policy: TargetPolicy) => Promise<StatusReport>;

const answering: Probe = async ({ leaseId }) => ({ leaseId, outcome: 'PROBE_OUTCOME_NO_REPLY' });

async function opened(t: TestContext, probe: Probe = answering, core = new Core(), started = true) {
  if (started) await core.start();
  const client = clients.probe(core.address);
  const session = new Session({
    client,
    metadata: internalMetadata('between us'),
    prober: 'a prober',
    maxInFlight: 77,
    probe: (lease, policy, probed) => void probe(lease, policy).then(probed),
    log: pino({ level: 'silent' }),
  });
  t.after(async () => {
    await session.close();
    client.close();
    core.stop();
  });
  return { core, session };
}

/** A session that was welcomed. */
async function welcomed(t: TestContext, probe?: Probe) {
  const found = await opened(t, probe);
  await found.core.until(() => found.core.messages.length === 1);
  found.core.welcome();
  return found;
}

/** A session that has reported lease 2, and lease 1 only once the test releases it. */
async function waitingForFirst(t: TestContext) {
  let release = (): void => {};
  const waiting = new Promise<void>(resolve => {
    release = resolve;
  });
  const { core } = await welcomed(t, async (lease, policy) => {
    if (lease.leaseId === 1) await waiting;
    return answering(lease, policy);
  });
  core.lease(1, 2);
  await core.until(() => core.reports.length === 1);
  return { core, release };
}

test('it says who it is and how much it can hold, and shows the secret', async t => {
  const { core, session } = await opened(t);
  await core.until(() => core.messages.length === 1);
  assert.deepEqual(core.messages[0]?.hello, {
    prober: 'a prober',
    maxInFlight: 77,
    session: '',
    leasesReceived: 0,
    absentCounts: true,
  });
  assert.deepEqual(core.newest.metadata.get(INTERNAL_SECRET_KEY), ['between us']);
  assert.equal(session.connected, false, 'not yet welcomed');
});

test('it probes what it is leased under the policy of the core, and reports', async t => {
  const probed: string[] = [];
  const { core, session } = await opened(t, async (lease, policy) => {
    probed.push(`${lease.leaseId} ${lease.host} ${policy.allows('127.0.0.1')} ${policy.allows('10.0.0.1')}`);
    return answering(lease, policy);
  });
  await core.until(() => core.messages.length === 1);
  core.welcome(['127.0.0.0/8']);
  core.lease(7);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(probed, ['7 1.2.3.4 true false']);
  assert.deepEqual(core.reports, [{ seq: 1, leaseIds: [7] }]);
  assert.equal(session.connected, true);
});

test('nothing goes to what the core denies, nor to the addresses of the machine the prober runs on', async t => {
  const held = { address: '8.8.4.4', netmask: '255.255.255.0', family: 'IPv4', internal: false };
  t.mock.method(os, 'networkInterfaces', () => ({ eth0: [{ ...held, mac: '', cidr: null }] }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const allowed: boolean[] = [];
  const { core } = await opened(t, async (lease, policy) => {
    allowed.push(...['127.0.0.1', '127.9.9.9', '8.8.8.8', '8.8.4.4'].map(ip => policy.allows(ip)));
    return answering(lease, policy);
  });
  await core.until(() => core.messages.length === 1);
  core.welcome(['127.0.0.0/8'], ['127.9.0.0/16']);
  core.lease(7);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(allowed, [true, false, true, false]);
});

test('leases that come before the welcome are not probed: nobody said what may be', async t => {
  const { core } = await opened(t);
  await core.until(() => core.messages.length === 1);
  core.lease(1);
  core.welcome();
  core.lease(2);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
});

test('reports travel together, at most 100 in a message, numbered', async t => {
  const { core } = await welcomed(t);
  core.lease(...Array.from({ length: 250 }, (_, i) => i + 1));
  await core.until(() => core.reports.flatMap(({ leaseIds }) => leaseIds).length === 250);
  assert.deepEqual(
    core.reports.map(({ seq, leaseIds }) => [seq, leaseIds.length]),
    [
      [1, 100],
      [2, 100],
      [3, 50],
    ],
  );
  assert.equal(new Set(core.reports.flatMap(({ leaseIds }) => leaseIds)).size, 250);
});

test('a slow probe holds up no other', async t => {
  const { core, release } = await waitingForFirst(t);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
  release();
  await core.until(() => core.reports.length === 2);
  assert.deepEqual(core.reports[1], { seq: 2, leaseIds: [1] });
});

for (const code of [status.UNAVAILABLE, status.OK, status.UNAUTHENTICATED]) {
  test(`it comes back where the core ends the stream with ${status[code]}`, async t => {
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

test('it finds a core again that died and came back', async t => {
  const { core } = await welcomed(t);
  core.stop();
  await core.start();
  await core.until(() => core.streams.length === 2);
});

test('it waits for a core that is not there yet', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  assert.equal(session.connected, false);
  await core.start();
  await core.until(() => core.streams.length === 1);
});

test('what a lost stream was leased is reported to nobody', async t => {
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

/** Breaks the newest stream and resolves to the hello of the next. */
async function brokenAndBack(core: Core) {
  const before = core.streams.length;
  core.newest.emit('error', { code: status.UNAVAILABLE, details: 'broken' });
  const hello = () => core.messages.at(-1)?.hello;
  await core.until(() => core.streams.length > before && hello() !== undefined && hello() !== null);
  return hello();
}

test('in a session that goes on, what was not acknowledged comes again under its number, and what was does not', async t => {
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
  // The second was recorded too, and only its acknowledgement was lost.
  core.seat('one', 2);
  core.lease(5);
  await core.until(() => core.reports.flatMap(({ leaseIds }) => leaseIds).includes(5));
  assert.deepEqual(core.reports.slice(before), [
    { seq: 3, leaseIds: [3] },
    { seq: 4, leaseIds: [4] },
    { seq: 5, leaseIds: [5] },
  ]);
});

test('in a session that goes on, probes under way are reported on the new stream', async t => {
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

test('in another session nothing of the one before is reported, and numbers begin anew', async t => {
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

test('close sends what is gathered, ends the stream, and opens no other', async t => {
  const done: StatusReport[] = [];
  const { core, session } = await welcomed(t, async (lease, policy) => {
    const report = await answering(lease, policy);
    done.push(report);
    // Before the gathering time is over, and after the report was handed in.
    setImmediate(() => closed.resolve());
    return report;
  });
  const closed = { resolve: (): void => {} };
  const probed = new Promise<void>(resolve => {
    closed.resolve = resolve;
  });
  core.lease(1);
  await probed;
  await session.close();
  assert.equal(done.length, 1);
  assert.deepEqual(
    core.reports.map(({ leaseIds }) => leaseIds),
    [[1]],
  );
  assert.equal(session.connected, false);
  assert.equal(core.streams.length, 1);
});

test('close ends too where there is no core', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  await session.close();
});

test('a core that is frozen does not hold up the end of a session', async t => {
  const { core, session } = await welcomed(t);
  core.frozen = true;
  await session.close();
});
