import type { Lease as LeaseMessage } from '../../proto/generated/gsq/v1/Lease.ts';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import { type ProbeFinding, recordStatus } from '../servers/record-status.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import type { Lease, ServerStore } from '../servers/server-store.ts';
import { planLease } from './lease-plan.ts';

/** Due times are looked at this often. */
const TICK_MS = 50;
/** Leases given to one prober at once: large enough to be cheap, small enough to share work between probers. */
const BATCH = 200;

/** One prober, as the dispatcher sees it. */
export interface ProberSession {
  /** Leases it can hold at once. */
  readonly capacity: number;
  /** Hands leases over; false where the prober takes no more for now. */
  send(leases: readonly LeaseMessage[]): boolean;
}

/** What a prober found out under a lease. */
export interface LeaseReport extends ProbeFinding {
  leaseId: number;
}

export interface DispatcherParts {
  store: ServerStore;
  changes: ServerChanges;
  catalog: { current(): CatalogSnapshot };
  now: () => number;
  probeIntervalMs: number;
}

/** Hands due servers to probers and takes their reports: the core's half of road 2. Probers hold leases, never schedules. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #sessions = new Map<ProberSession, Set<number>>();
  readonly #timer: NodeJS.Timeout;
  #woken = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get probers(): number {
    return this.#sessions.size;
  }

  join(session: ProberSession): void {
    this.#sessions.set(session, new Set());
    this.wake();
  }

  /** Ends a session; what it held is due again at once. */
  leave(session: ProberSession): void {
    const held = this.#sessions.get(session);
    if (!held) return;
    this.#sessions.delete(session);
    this.#parts.store.release(held);
    this.wake();
  }

  /** Looks for due servers now rather than at the next tick. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    setImmediate(() => this.#dispatch());
  }

  /** Records what a session reports; a report without a lease of that session is dropped. */
  report(session: ProberSession, reports: readonly LeaseReport[]): void {
    const { store, changes, now, probeIntervalMs } = this.#parts;
    const held = this.#sessions.get(session);
    if (!held) return;
    for (const report of reports) {
      if (!held.delete(report.leaseId)) continue;
      const server = store.leased(report.leaseId);
      if (!server) continue;
      const next = recordStatus(server, report, now(), probeIntervalMs);
      if (store.apply(report.leaseId, next)) changes.publish(next);
    }
    this.wake();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    // Leases that ran out are the store's again; what a prober still says of them is too late.
    for (const held of this.#sessions.values()) {
      for (const id of held) if (!this.#parts.store.leased(id)) held.delete(id);
    }
    this.#dispatch();
  }

  #dispatch(): void {
    this.#woken = false;
    for (const [session, held] of this.#sessions) {
      const room = Math.min(BATCH, session.capacity - held.size);
      if (room <= 0) continue;
      const leases = this.#parts.store.leaseDue(room);
      if (leases.length === 0) continue;
      const plans = leases.flatMap(lease => this.#plan(lease));
      for (const { leaseId } of plans) held.add(Number(leaseId));
      if (session.send(plans) && leases.length === room) this.wake();
    }
  }

  /** What to send for a lease; nothing where the catalog has lost the game, which is no fault of the server. */
  #plan(lease: Lease): LeaseMessage[] {
    const { catalog, store, now, probeIntervalMs } = this.#parts;
    const plan = planLease(lease, catalog.current());
    if (plan) return [plan];
    const finding: ProbeFinding = { outcome: 'PROBE_OUTCOME_PROBER_FAULT', payload: null, queryPort: 0 };
    store.apply(lease.id, recordStatus(lease.server, finding, now(), probeIntervalMs));
    return [];
  }
}
