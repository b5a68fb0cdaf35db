import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { ProbeOutcome } from '../../proto/generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals__Output } from '../../proto/generated/gsq/v1/ProbeSignals.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { FailureDetector, Judgement } from '../detector/failure-detector.ts';
import type { Lines } from '../detector/line.ts';
import { againAt, mayReturnSoon, nextInPhase } from '../servers/probe-interval.ts';
import { putOff, recordAnswer, recordSilence, recordUnknowable } from '../servers/record-status.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import {
  isUnknowable,
  type ProbedServer,
  type Reason,
  type ServerRecord,
  serverKey,
} from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { LeaseTerms } from './lease-plan.ts';

/** A server that was put off is due again within these, whatever the prober says, ms. */
const LEAST_PUT_OFF_MS = 50;
const MOST_PUT_OFF_MS = 60_000;
/** A directory may ask to be left alone for as long as a day. */
const MOST_RETRY_MS = 86_400_000;
/** A server that answered once is given up after this, ms. */
const DEAD_MS = 30 * 86_400_000;
/** A server that never answered and cannot be asked is given up after this, ms. */
const UNKNOWABLE_MS = 3_600_000;
/** Servers of a host that was silent as a whole are asked this far apart when one of them returns, ms. */
const WAKE_APART_MS = 100;
/** After this share of the time that a status may be held, a silent server is asked before others at its address. */
const URGENT_SHARE = 1 / 2;

/** What a prober found out under a lease. */
export interface LeaseReport {
  leaseId: number;
  outcome: ProbeOutcome;
  /** With PROBE_OUTCOME_ONLINE. */
  payload: ReportedPayload | null;
  /** The port that answered; 0 if none did. */
  queryPort: number;
  /** How the network treated the probe, if the prober says so. */
  signals?: ProbeSignals__Output | null;
  /** With PROBE_OUTCOME_HELD_BACK, _PACED and _DIRECTORY_UNAVAILABLE: when to try again, in ms from now. */
  retryAfterMs?: number;
}

/** Outcomes in which the server itself was asked, and gave no valid reply. */
const SILENCE: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_NO_REPLY', 'no_reply'],
  ['PROBE_OUTCOME_REFUSED', 'refused'],
  ['PROBE_OUTCOME_MALFORMED', 'malformed'],
  ['PROBE_OUTCOME_NOT_LISTED', 'not_listed'],
]);
/** Outcomes in which the server could not be asked. */
const UNKNOWABLE: ReadonlyMap<ProbeOutcome, Reason> = new Map([
  ['PROBE_OUTCOME_UNRESOLVABLE', 'unresolvable_host'],
  ['PROBE_OUTCOME_BLOCKED', 'blocked_address'],
  ['PROBE_OUTCOME_NEEDS_CREDENTIALS', 'needs_credentials'],
  ['PROBE_OUTCOME_NEEDS_OPTION', 'needs_option'],
  ['PROBE_OUTCOME_DIRECTORY_UNAVAILABLE', 'directory_unavailable'],
  ['PROBE_OUTCOME_DIRECTORY_REFUSED', 'directory_refused'],
  ['PROBE_OUTCOME_PACED', 'paced'],
]);

export interface ReportRecorderParts {
  store: ServerStore;
  changes: ServerChanges;
  probeIntervalMs: number;
  detector: FailureDetector;
  /** Failed probes after which a server that never answered is forgotten; 0 keeps it. */
  unprovenProbes: number;
  /** Whether an operator told something about a server, by its key: such a server stays though it never answers. */
  hasAccess?: (key: string) => boolean;
  /** Told of every report that was recorded, and what became of the server. */
  onRecorded?: ((report: LeaseReport, before: ServerRecord, after: ServerRecord) => void) | undefined;
  /** Told of every server that is forgotten without ever having answered, before it is: as it was before its last probe, and after. */
  onUnanswered?: ((before: ServerRecord, after: ServerRecord) => void) | undefined;
}

/** Turns reports of probes into records: the detector judges silence, the record keeps what follows. */
export class ReportRecorder {
  readonly #parts: ReportRecorderParts;
  #ignored = 0;
  #forgotten = 0;
  readonly #changes = { online: 0, offline: 0 };

  constructor(parts: ReportRecorderParts) {
    this.#parts = parts;
  }

  /** Failed probes that said nothing, because the prober's own line was out. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Servers forgotten so far. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** How often a server went online or offline so far. */
  get statusChanges(): Readonly<Record<'online' | 'offline', number>> {
    return this.#changes;
  }

  /** How long a reply of a server is worth waiting for, ms (0 if that is not known), and whether its status is due soon. */
  leaseTerms({ gameId, address, inDoubt, onlineAt }: ProbedServer, now: number): LeaseTerms {
    const { detector } = this.#parts;
    if (!inDoubt) return { timeoutMs: detector.timeoutMs('', address, false), urgent: false };
    const key = serverKey(gameId, address);
    const urgent =
      onlineAt !== 0 && (now - onlineAt > detector.holdMs * URGENT_SHARE || detector.isDecisive(key, now));
    return { timeoutMs: detector.timeoutMs(key, address, true), urgent };
  }

  /** Records a report on a leased server. `server` is good until the store is next changed. */
  record(report: LeaseReport, server: ServerRecord, lines: Lines, now: number): void {
    const { outcome, retryAfterMs = 0 } = report;
    const { store, probeIntervalMs } = this.#parts;
    if (outcome === 'PROBE_OUTCOME_HELD_BACK') {
      const wait = Math.min(Math.max(retryAfterMs, LEAST_PUT_OFF_MS), MOST_PUT_OFF_MS);
      store.apply(report.leaseId, putOff(server, now + wait));
    } else if (outcome === 'PROBE_OUTCOME_ONLINE' && report.payload) {
      this.#answered(report, report.payload, server, lines, now);
    } else if (SILENCE.has(outcome)) {
      this.#silent(report, server, lines, now);
    } else {
      const reason = UNKNOWABLE.get(outcome);
      if (reason) {
        // It was the server that said so: it is no longer silent.
        if (report.signals?.packetsSent && report.signals.packetsLost === 0)
          this.#parts.detector.forget(server.key);
        const retryMs = Math.min(retryAfterMs, MOST_RETRY_MS);
        this.#apply(report, server, recordUnknowable(server, reason, retryMs, now, probeIntervalMs), now);
        // A prober's own fault, or nonsense, says nothing about the server.
      } else store.apply(report.leaseId, putOff(server, againAt(now, probeIntervalMs)));
    }
  }

  #answered(
    report: LeaseReport,
    payload: ReportedPayload,
    server: ServerRecord,
    lines: Lines,
    now: number,
  ): void {
    const { signals, queryPort } = report;
    // Until the port is known, those at which nothing listens lose what is sent to them. A directory's word takes no packet.
    const told = signals && (server.queryPort !== 0 || signals.packetsSent === 0);
    const sent = told ? signals.packetsSent : 1;
    const lost = told ? Math.min(signals.packetsLost, sent) : 0;
    const address = signals?.address ?? '';
    const probe = { sent, lost, ping: payload.ping, address };
    const { lineLoss, lostBefore, wakes } = this.#parts.detector.answered(lines, server, probe, now);
    const found = { payload, queryPort, sent, lost, lostBefore, lineLoss };
    this.#apply(report, server, recordAnswer(server, found, now, this.#parts.probeIntervalMs), now);
    wakes.forEach((key, i) => {
      this.#parts.store.hasten(key, now + i * WAKE_APART_MS);
    });
  }

  #silent(report: LeaseReport, server: ServerRecord, lines: Lines, now: number): void {
    const { store, probeIntervalMs } = this.#parts;
    const { outcome, signals } = report;
    const judgement = this.#parts.detector.silent(
      lines,
      server,
      {
        challenged: signals?.challenged ?? false,
        // A connection that was made and then cut was answered.
        heard: outcome === 'PROBE_OUTCOME_MALFORMED' || signals?.packetsLost === 0,
        delisted: outcome === 'PROBE_OUTCOME_NOT_LISTED',
        address: signals?.address ?? '',
      },
      now,
    );
    if (judgement.verdict === 'void') {
      this.#ignored++;
      // At the pace of before: neither more packets than usual, nor all of them at once when replies come again.
      const intervalMs = server.status === 'offline' ? server.intervalMs : probeIntervalMs;
      store.apply(report.leaseId, putOff(server, nextInPhase(server, now, intervalMs)));
      return;
    }
    const next = this.#afterSilence(SILENCE.get(outcome) ?? 'no_reply', server, judgement, now);
    this.#apply(report, server, next, now);
    if (judgement.witness !== '') store.hasten(judgement.witness, now);
    if (next.status === 'offline' && !mayReturnSoon(now - next.lastOnlineAt))
      this.#parts.detector.forget(next.key);
    if (this.#isNeverToAnswer(server, next, judgement.looks)) this.#forget(server, next);
  }

  #afterSilence(reason: Reason, server: ServerRecord, judgement: Judgement, now: number): ServerRecord {
    const { verdict, ...seen } = judgement;
    const found = { ...seen, reason, offline: verdict === 'offline' };
    return recordSilence(server, found, now, this.#parts.probeIntervalMs);
  }

  #apply(report: LeaseReport, before: ServerRecord, next: ServerRecord, now: number): void {
    const { store, changes, onRecorded } = this.#parts;
    if (!store.apply(report.leaseId, next)) return;
    if (next.status !== before.status && next.status !== 'pending') this.#changes[next.status]++;
    onRecorded?.(report, before, next);
    changes.publish(next);
    if (this.#isDead(before, next, now)) this.#forget(before, next);
  }

  /** Whether nobody need be told any longer of a server. What the operator added, or gave access to, stays until it is removed. */
  #isDead(before: ServerRecord, after: ServerRecord, now: number): boolean {
    const { status, lastOnlineAt, insertedAt, reason } = after;
    if (status === 'online' || this.#isKept(after)) return false;
    if (lastOnlineAt !== 0) return status === 'offline' && now - lastOnlineAt > DEAD_MS;
    if (this.#parts.unprovenProbes === 0 || !isUnknowable(reason)) return false;
    return before.status === 'offline' || now - insertedAt > UNKNOWABLE_MS;
  }

  #isNeverToAnswer(before: ServerRecord, after: ServerRecord, looks: number): boolean {
    const { unprovenProbes } = this.#parts;
    if (after.status !== 'offline' || after.lastOnlineAt !== 0 || this.#isKept(after)) return false;
    // How often one was asked that an earlier core found offline, or that could not be forgotten, is not known any more.
    return unprovenProbes > 0 && (looks >= unprovenProbes || before.status === 'offline');
  }

  #isKept({ key, insertedBy }: ServerRecord): boolean {
    return insertedBy === OPERATOR || this.#parts.hasAccess?.(key) === true;
  }

  /** If the store cannot write, the server stays until its next probe fails. */
  #forget(before: ServerRecord, after: ServerRecord): void {
    const { store, onUnanswered } = this.#parts;
    if (!store.writable) return;
    if (after.lastOnlineAt === 0) onUnanswered?.(before, after);
    store.remove([after.key]).then(
      () => this.#forgotten++,
      () => {},
    );
  }
}
