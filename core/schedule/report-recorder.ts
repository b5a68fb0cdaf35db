import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { FailureDetector } from '../detector/failure-detector.ts';
import type { Judgement } from '../detector/judgement.ts';
import type { Uplinks } from '../detector/uplink.ts';
import { againAt, mayReturnSoon, nextInPhase } from '../servers/probe-interval.ts';
import { putOff, recordAnswer, recordSilence, recordUnknowable } from '../servers/record-status.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import { type ProbedServer, type Reason, type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { LeaseTerms } from './lease-plan.ts';
import { type LeaseReport, SILENT_REASONS, UNKNOWABLE_REASONS } from './lease-report.ts';
import { ServerRetention, type ServerRetentionDependencies } from './server-retention.ts';

/** Bounds of the delay that a prober may ask for with PROBE_OUTCOME_HELD_BACK, ms. */
const LEAST_PUT_OFF_MS = 50;
const MOST_PUT_OFF_MS = 60_000;
/** Longest delay that a directory may ask for, ms: a day. */
const MOST_RETRY_MS = 86_400_000;
/** When a silent host answers again, its other servers are probed this far apart, ms. */
const WAKE_APART_MS = 100;
/** A silent server is urgent once this share of the time is over for which its status may be kept. */
const URGENT_SHARE = 1 / 2;

export interface ReportRecorderDependencies extends ServerRetentionDependencies {
  changes: ServerChanges;
  probeIntervalMs: number;
  detector: FailureDetector;
  /** Called after each applied report with the server's record before and after it. */
  onRecorded?: ((report: LeaseReport, before: ServerRecord, after: ServerRecord) => void) | undefined;
}

/** Turns reports of probers into server records; the failure detector judges silent probes. */
export class ReportRecorder {
  readonly #dependencies: ReportRecorderDependencies;
  readonly #retention: ServerRetention;
  #ignored = 0;
  readonly #changes = { online: 0, offline: 0 };

  constructor(dependencies: ReportRecorderDependencies) {
    this.#dependencies = dependencies;
    this.#retention = new ServerRetention(dependencies);
  }

  /** Number of failed probes that were ignored because the prober's own uplink was out. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Number of servers forgotten so far. */
  get forgotten(): number {
    return this.#retention.forgotten;
  }

  /** Number of times that servers went online or offline. */
  get statusChanges(): Readonly<Record<'online' | 'offline', number>> {
    return this.#changes;
  }

  /** The timeout of a server's next probe, and whether that probe is urgent because the status must be settled soon. */
  leaseTerms({ gameId, address, inDoubt, onlineAt }: ProbedServer, now: number): LeaseTerms {
    const { detector } = this.#dependencies;
    if (!inDoubt) return { timeoutMs: detector.timeoutMs('', address, false), urgent: false };
    const key = serverKey(gameId, address);
    const urgent =
      onlineAt !== 0 && (now - onlineAt > detector.holdMs * URGENT_SHARE || detector.isDecisive(key, now));
    return { timeoutMs: detector.timeoutMs(key, address, true), urgent };
  }

  /** Records a report on a leased server. `server` is valid until the store changes next. */
  record(report: LeaseReport, server: ServerRecord, uplinks: Uplinks, now: number): void {
    const { outcome, retryAfterMs = 0 } = report;
    const { store, probeIntervalMs } = this.#dependencies;
    if (outcome === 'PROBE_OUTCOME_ONLINE' && report.payload) {
      this.#recordAnswer(report, report.payload, server, uplinks, now);
    } else if (SILENT_REASONS.has(outcome)) {
      this.#recordSilence(report, server, uplinks, now);
    } else if (outcome === 'PROBE_OUTCOME_HELD_BACK') {
      const wait = Math.min(Math.max(retryAfterMs, LEAST_PUT_OFF_MS), MOST_PUT_OFF_MS);
      store.apply(report.leaseId, putOff(server, now + wait));
    } else {
      const reason = UNKNOWABLE_REASONS.get(outcome);
      if (reason) this.#recordUnknowable(report, reason, server, now);
      // A fault of the prober, or an unknown outcome, says nothing about the server.
      else store.apply(report.leaseId, putOff(server, againAt(now, probeIntervalMs)));
    }
  }

  #recordAnswer(
    report: LeaseReport,
    payload: ReportedPayload,
    server: ServerRecord,
    uplinks: Uplinks,
    now: number,
  ): void {
    const { store, detector, probeIntervalMs } = this.#dependencies;
    const { signals, queryPort } = report;
    // Packets to closed ports are lost until the port is known, so they do not count. A directory's word takes no packet.
    const counted = signals && (server.queryPort !== 0 || signals.packetsSent === 0);
    const sent = counted ? signals.packetsSent : 1;
    const lost = counted ? Math.min(signals.packetsLost, sent) : 0;
    const address = signals?.address ?? '';
    const probe = { sent, lost, ping: payload.ping, address };
    const { uplinkLoss, lostBefore, wakes } = detector.recordAnswer(uplinks, server, probe, now);
    const found = { payload, queryPort, sent, lost, lostBefore, uplinkLoss };
    this.#apply(report, server, recordAnswer(server, found, now, probeIntervalMs), now);
    wakes.forEach((key, i) => {
      store.hasten(key, now + i * WAKE_APART_MS);
    });
  }

  #recordSilence(report: LeaseReport, server: ServerRecord, uplinks: Uplinks, now: number): void {
    const { store, detector, probeIntervalMs } = this.#dependencies;
    const { outcome, signals } = report;
    const probe = {
      challenged: signals?.challenged ?? false,
      // A connection that was made and then cut counts as an answer.
      heard: outcome === 'PROBE_OUTCOME_MALFORMED' || signals?.packetsLost === 0,
      delisted: outcome === 'PROBE_OUTCOME_NOT_LISTED',
      address: signals?.address ?? '',
    };
    const judgement = detector.judgeSilence(uplinks, server, probe, now);
    if (judgement.verdict === 'ignored') {
      this.#ignored++;
      // Keeps the interval and the phase, so that servers are not all due at once when the uplink is back.
      const intervalMs = server.status === 'offline' ? server.intervalMs : probeIntervalMs;
      store.apply(report.leaseId, putOff(server, nextInPhase(server, now, intervalMs)));
      return;
    }
    const next = this.#afterSilence(SILENT_REASONS.get(outcome) ?? 'no_reply', server, judgement, now);
    this.#apply(report, server, next, now);
    if (judgement.witness !== '') store.hasten(judgement.witness, now);
    if (next.status === 'offline' && !mayReturnSoon(now - next.lastOnlineAt)) detector.forget(next.key);
    this.#retention.forgetIfNeverAnswered(server, next, judgement.looks);
  }

  #recordUnknowable(report: LeaseReport, reason: Reason, server: ServerRecord, now: number): void {
    const { detector, probeIntervalMs } = this.#dependencies;
    // If packets were sent and none was lost, the server itself replied so: it is not silent any longer.
    if (report.signals?.packetsSent && report.signals.packetsLost === 0) detector.forget(server.key);
    const retryMs = Math.min(report.retryAfterMs ?? 0, MOST_RETRY_MS);
    this.#apply(report, server, recordUnknowable(server, reason, retryMs, now, probeIntervalMs), now);
  }

  #afterSilence(reason: Reason, server: ServerRecord, judgement: Judgement, now: number): ServerRecord {
    const { verdict, ...seen } = judgement;
    const found = { ...seen, reason, offline: verdict === 'offline' };
    return recordSilence(server, found, now, this.#dependencies.probeIntervalMs);
  }

  #apply(report: LeaseReport, before: ServerRecord, next: ServerRecord, now: number): void {
    const { store, changes, onRecorded } = this.#dependencies;
    if (!store.apply(report.leaseId, next)) return;
    if (next.status !== before.status && next.status !== 'pending') this.#changes[next.status]++;
    onRecorded?.(report, before, next);
    changes.publish(next);
    this.#retention.forgetIfDead(before, next, now);
  }
}
