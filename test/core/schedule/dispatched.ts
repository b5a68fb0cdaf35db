import type { TestContext } from 'node:test';
import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { Dispatcher } from '../../../core/schedule/dispatcher.ts';
import type { DispatcherTiming } from '../../../core/schedule/dispatcher-timing.ts';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import type { ProberStream } from '../../../core/schedule/prober-session.ts';
import { ReportRecorder } from '../../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import type { Lease } from '../../../proto/generated/gsq/v1/Lease.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { feedOf } from '../feed/feed-of.ts';
import { payloadOf } from '../payload-of.ts';
import { scratchEngine } from '../scratch-store.ts';

/** Length of a lease, ms: the time in which a prober must report the result of an ordered probe. */
export const LEASE_MS = 30_000;

/** A prober that stores everything that the dispatcher sends. */
export class Prober implements ProberStream {
  readonly batches: (readonly Lease[])[] = [];
  readonly prober: string;
  readonly announced: number;
  capacity: number;
  flowing = true;
  #heard: (() => void) | undefined;

  constructor(capacity: number, prober = 'prober') {
    this.prober = prober;
    this.announced = capacity;
    this.capacity = capacity;
  }

  send(leases: readonly Lease[]): boolean {
    this.batches.push(leases);
    this.#heard?.();
    return this.flowing;
  }

  get leases(): Lease[] {
    return this.batches.flat();
  }

  get ids(): number[] {
    return this.leases.map(({ leaseId }) => Number(leaseId));
  }

  /** Resolves when the prober has received `count` leases (orders to probe a server) in total. */
  async until(count: number): Promise<void> {
    while (this.leases.length < count) {
      await new Promise<void>(resolve => {
        this.#heard = resolve;
      });
    }
  }
}

/** Returns a report that the server of the lease `leaseId` has answered. */
export const online = (leaseId: number): LeaseReport => ({
  leaseId,
  outcome: 'PROBE_OUTCOME_ONLINE',
  payload: payloadOf(),
  queryPort: 27016,
});

/** Returns the address of the server with number `i`. All these addresses are in one network. */
const inOneNetwork = (i: number): string => `1.2.3.4:${2000 + i}`;

/**
 * Creates a dispatcher, and a store with `servers` servers that are due for a probe. The dispatcher leases servers
 * (orders probes) only while `gate.canLease` is true.
 */
export async function opened(
  t: TestContext,
  servers: number,
  gameId = 'csgo',
  timing?: DispatcherTiming,
  addressOf = inOneNetwork,
) {
  const clock = clockAt();
  const options = { now: clock.now, probeIntervalMs: 60_000, leaseMs: LEASE_MS, maxServers: 10_000 };
  const store = await EmbeddedServerStore.load(await scratchEngine(t), options);
  await store.insertIfAbsent(
    Array.from({ length: servers }, (_, i) => ({
      gameId,
      address: addressOf(i),
      insertedBy: 'tok_1',
    })),
  );
  const changes = new ServerChanges();
  const feed = feedOf();
  const catalog = await catalogOf(clock.now, 'csgo', 'asa');
  const recorder = new ReportRecorder({
    store,
    changes,
    feed,
    probeIntervalMs: 60_000,
    detector: new FailureDetector(600_000),
    giveUpAfterProbes: 3,
  });
  const gate = { canLease: true };
  const canLease = () => gate.canLease;
  const dependencies = { store, catalog, recorder, now: clock.now, probeIntervalMs: 60_000, canLease };
  const dispatcher = new Dispatcher(timing ? { ...dependencies, timing } : dependencies);
  t.after(() => dispatcher.close());
  return { clock, store, changes, dispatcher, gate };
}

/**
 * Waits for two turns of the event loop: enough time for the dispatcher to lease servers (order probes) after a call.
 */
export const nextTurn = (): Promise<void> =>
  new Promise(resolve => setImmediate(() => setImmediate(resolve)));
