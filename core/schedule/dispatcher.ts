import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import { type DispatcherTiming, EVENT_LOOP } from './dispatcher-timing.ts';
import { LeaseHandout, type LeaseHandoutDependencies } from './lease-handout.ts';
import type { LeaseReport } from './lease-report.ts';
import {
  freeCapacity,
  newSession,
  type ProberSession,
  type ProberStream,
  type Resumption,
} from './prober-session.ts';
import { ProberSessions } from './prober-sessions.ts';

/** Interval at which the dispatcher checks for due servers, ms. */
const TICK_MS = 50;
/**
 * Maximum number of leases (orders to probe a server) in one message. Larger messages cost less per lease, and smaller
 * messages distribute the work more evenly between probers.
 */
const BATCH = 200;

/** Dependencies of `Dispatcher`. */
export interface DispatcherDependencies extends LeaseHandoutDependencies {
  timing?: DispatcherTiming;
  /**
   * Returns false while this core must not give due servers to probers, because another core may already own these
   * servers. If this function is absent, the core can always give servers to probers.
   */
  canLease?: () => boolean;
  /**
   * Called with true when the core begins to ignore failed probes of a prober, because the prober's own network
   * connection seems to be down. Called with false when its failed probes count again.
   */
  onOutage?: (open: boolean) => void;
}

/**
 * Gives probers leases (orders to probe due servers), and passes the reports of probers to the recorder. The core keeps
 * the schedule of all probes.
 */
export class Dispatcher {
  readonly #dependencies: DispatcherDependencies;
  readonly #sessions = new ProberSessions();
  readonly #handout: LeaseHandout;
  readonly #timing: DispatcherTiming;
  readonly #stopTicking: () => void;
  #woken = false;
  #unleased = 0;
  readonly #reports = new Map<ProbeOutcome, number>([['PROBE_OUTCOME_ONLINE', 0]]);

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
    this.#timing = dependencies.timing ?? EVENT_LOOP;
    this.#handout = new LeaseHandout(dependencies, this.#sessions);
    this.#stopTicking = this.#timing.every(TICK_MS, () => this.#tick());
  }

  /** Number of connected probers. */
  get probers(): number {
    return this.#sessions.size;
  }

  /**
   * True if the network connection of at least one prober seems to be down. The core ignores failed probes of such a
   * prober.
   */
  get outage(): boolean {
    for (const { uplinks } of this.#sessions.connected()) if (uplinks.isAnyOut) return true;
    return false;
  }

  /** Number of recorded probe reports, keyed by the outcome of the probe. */
  get reports(): ReadonlyMap<ProbeOutcome, number> {
    return this.#reports;
  }

  /**
   * Number of dropped reports of probes. A report is dropped if its lease has expired or belongs to a different prober.
   */
  get unleased(): number {
    return this.#unleased;
  }

  /**
   * Largest lag of the leases that were given out in the last ten seconds, in seconds. The lag of a lease is the time
   * from when its server became due until the lease.
   */
  get recentLagSeconds(): number {
    return this.#handout.recentLag.worst(this.#dependencies.now());
  }

  /**
   * From now on, calls `onLag` with the lag of each new lease, in seconds. The lag of a lease is the time from when its
   * server became due until the lease.
   */
  watchLag(onLag: (seconds: number) => void): void {
    this.#handout.onLag = onLag;
  }

  /**
   * Connects a prober. Resumes the session that `resumption` identifies, or begins a new one. A resumed session keeps
   * only the leases that the prober has received. Returns the id of the session, and `lastSeq`: the sequence number of
   * the newest recorded message of the prober.
   */
  join(stream: ProberStream, resumption?: Resumption): Pick<ProberSession, 'id' | 'lastSeq'> {
    const resumed = resumption && this.#sessions.removeById(resumption.id);
    const session = resumed ?? newSession(stream, this.#dependencies.now());
    if (resumed) this.#releaseLeases(session, resumption.leasesReceived);
    this.#sessions.connect(session, stream);
    this.wake();
    return session;
  }

  /** Ends the session of a prober. The servers that the prober still had to probe are due again immediately. */
  leave(stream: ProberStream): void {
    const session = this.#sessions.disconnect(stream);
    if (session) this.#endSession(session);
  }

  /** Disconnects a prober session whose stream broke. The prober can resume the session for a limited time. */
  lose(stream: ProberStream): void {
    const session = this.#sessions.disconnect(stream);
    if (session && !this.#sessions.keepBroken(session, this.#dependencies.now())) this.#endSession(session);
  }

  /** Checks for due servers soon, without waiting for the next regular check. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#timing.soon(() => this.#dispatch());
  }

  /**
   * Records the probe reports in one message of a prober. Returns the sequence number of the newest recorded message of
   * the prober's session, or undefined if the prober has no session. Ignores a message that was recorded before. Drops
   * reports without a valid lease. `seq`: sequence number of this message; if absent, the message gets the next number.
   */
  report(stream: ProberStream, reports: readonly LeaseReport[], seq?: number): number | undefined {
    const { store, recorder } = this.#dependencies;
    const session = this.#sessions.find(stream);
    if (!session) return undefined;
    if (seq !== undefined && seq <= session.lastSeq) return session.lastSeq;
    const now = this.#dependencies.now();
    session.lastSeq = seq ?? session.lastSeq + 1;
    const { uplinks } = session;
    const wasOut = uplinks.isAnyOut;
    for (const report of reports) {
      const server = session.leases.remove(report.leaseId) < 0 ? undefined : store.leased(report.leaseId);
      if (!server) {
        this.#unleased++;
        continue;
      }
      this.#reports.set(report.outcome, (this.#reports.get(report.outcome) ?? 0) + 1);
      if (report.signals?.address) this.#handout.networks.noteAddress(server.address, report.signals.address);
      recorder.record(report, server, uplinks, now);
    }
    if (uplinks.isAnyOut !== wasOut) this.#dependencies.onOutage?.(!wasOut);
    this.wake();
    return session.lastSeq;
  }

  /** Makes the dispatcher stop checking for due servers. */
  close(): void {
    this.#stopTicking();
  }

  #tick(): void {
    // Removes expired leases. The oldest lease of a session expires first, so the check stops at the first valid lease.
    // A check of all leases would take 4 % of the CPU time of the core.
    for (const { leases } of this.#sessions.connected()) {
      while (leases.size > 0 && !this.#dependencies.store.leased(leases.oldest)) leases.remove(leases.oldest);
    }
    this.#sessions.endExpired(this.#dependencies.now(), session => this.#endSession(session));
    this.#dispatch();
  }

  #dispatch(): void {
    this.#woken = false;
    if (this.#dependencies.canLease?.() === false) return;
    for (const session of this.#sessions.roundRobin()) {
      const limit = Math.min(BATCH, freeCapacity(session));
      if (limit <= 0) continue;
      const leases = this.#dependencies.store.leaseDue(limit);
      if (leases.length === 0) continue;
      const isFlowing = this.#handout.sendLeases(leases, session);
      if (isFlowing && leases.length === limit) this.wake();
    }
  }

  #endSession(session: ProberSession): void {
    this.#releaseLeases(session, 0);
    this.#handout.endSession(session);
    if (session.uplinks.isAnyOut) this.#dependencies.onOutage?.(false);
    this.wake();
  }

  /**
   * Ends those leases of a session that its prober never received. `received`: number of leases that the prober
   * received. The servers of the ended leases are due again.
   */
  #releaseLeases({ leases }: ProberSession, received: number): void {
    const lost = [...leases.ids()].filter(id => leases.get(id) > received);
    for (const id of lost) leases.remove(id);
    this.#dependencies.store.release(lost);
  }
}
