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

/** A fake core that the test controls. It speaks real gRPC with the session of the prober. */
class Core {
  /**
   * True if the fake core must behave as if it hangs: it does not end its half of a stream after the prober ended its
   * half.
   */
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

  /** All received messages of reports, in order, with their sequence numbers and lease ids. */
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

  /** Stops the fake core like a killed process: without ending its streams cleanly. */
  stop(): void {
    this.#server.forceShutdown();
  }

  welcome(allowTargets: string[] = [], denyTargets: string[] = []): void {
    this.newest.write({ welcome: { allowTargets, denyTargets } });
  }

  /** Sends a Welcome message with a session id and with the number of the last message that the core recorded. */
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

  /** Resolves as soon as `met` returns true. Checks `met` each time a stream opens or a message arrives. */
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

/** Opens a session to which the fake core has sent its Welcome message. */
async function welcomed(t: TestContext, probe?: Probe) {
  const found = await opened(t, probe);
  await found.core.until(() => found.core.messages.length === 1);
  found.core.welcome();
  return found;
}

/** Opens a session that has reported lease 2. It reports lease 1 only after the test calls `release`. */
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

test('a prober session sends its name, its capacity and the internal secret when it starts', async t => {
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

test('a prober session probes leased servers with the target policy of the core, and reports the results', async t => {
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

test('a prober session forbids targets that the core denies and the addresses of its own machine', async t => {
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

test('a prober session ignores leases that arrive before the Welcome message with the target policy', async t => {
  const { core } = await opened(t);
  await core.until(() => core.messages.length === 1);
  core.lease(1);
  core.welcome();
  core.lease(2);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
});

test('a prober session sends reports in numbered messages, with at most 100 reports in a message', async t => {
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

test('a prober session reports finished probes while another probe is still running', async t => {
  const { core, release } = await waitingForFirst(t);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
  release();
  await core.until(() => core.reports.length === 2);
  assert.deepEqual(core.reports[1], { seq: 2, leaseIds: [1] });
});

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

test('a prober session that starts before the core connects when the core has started', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  assert.equal(session.connected, false);
  await core.start();
  await core.until(() => core.streams.length === 1);
});

test('a prober session does not report leases of a previous session that the core has lost', async t => {
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

/** Breaks the newest stream. Resolves to the Hello message that the prober sends on the next stream. */
async function brokenAndBack(core: Core) {
  const before = core.streams.length;
  core.newest.emit('error', { code: status.UNAVAILABLE, details: 'broken' });
  const hello = () => core.messages.at(-1)?.hello;
  await core.until(() => core.streams.length > before && hello() !== undefined && hello() !== null);
  return hello();
}

test('a resumed session sends unacknowledged messages again with the same numbers, and no acknowledged messages', async t => {
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
  // The Welcome message says that the core also recorded message 2. Its acknowledgement did not reach the prober.
  core.seat('one', 2);
  core.lease(5);
  await core.until(() => core.reports.flatMap(({ leaseIds }) => leaseIds).includes(5));
  assert.deepEqual(core.reports.slice(before), [
    { seq: 3, leaseIds: [3] },
    { seq: 4, leaseIds: [4] },
    { seq: 5, leaseIds: [5] },
  ]);
});

test('a resumed session reports probes that were running when the stream broke', async t => {
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

test('a new session sends no reports of the previous session, and numbers its messages from 1', async t => {
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

test('closing a session sends the gathered reports, ends the stream and does not reconnect', async t => {
  const done: StatusReport[] = [];
  const { core, session } = await welcomed(t, async (lease, policy) => {
    const report = await answering(lease, policy);
    done.push(report);
    // Runs after the session has received the report, and before the session sends its gathered reports.
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

test('closing a session works if the core is not running', async t => {
  const core = new Core();
  await core.start();
  core.stop();
  const { session } = await opened(t, answering, core, false);
  await session.close();
});

test('closing a session does not wait forever for a core that hangs', async t => {
  const { core, session } = await welcomed(t);
  core.frozen = true;
  await session.close();
});
