import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';
import type { FailureDetector } from '../detector/failure-detector.ts';
import type { Judgement } from '../detector/judgement.ts';
import type { Uplinks } from '../detector/uplink.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import { addSample, onlineSample, unansweredSample } from '../history/add-sample.ts';
import type { HistoryStore } from '../history/history-store.ts';
import { againAt, mayReturnSoon, nextInPhase } from '../servers/probe-interval.ts';
import {
  type ChangedRecord,
  copyOpenHour,
  putOff,
  recordAnswer,
  recordSilence,
  recordUnknowable,
} from '../servers/record-status.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import { type ProbedServer, type Reason, type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { LeaseTerms } from './lease-plan.ts';
import { type LeaseReport, SILENT_REASONS, UNKNOWABLE_REASONS } from './lease-report.ts';
import { ServerRetention, type ServerRetentionDependencies } from './server-retention.ts';

/**
 * Shortest and longest delay until the next probe of a server whose probe was postponed, ms. The prober postpones a
 * probe because of its rate limits (PROBE_OUTCOME_HELD_BACK).
 */
const LEAST_PUT_OFF_MS = 50;
const MOST_PUT_OFF_MS = 60_000;
/** Maximum delay that a public server list can request before the next probe, ms: one day. */
const MOST_RETRY_MS = 86_400_000;
/**
 * When one server of a silent host answers again, the probes of the other servers on this host become due one after the
 * other, at intervals of this length, ms.
 */
const WAKE_APART_MS = 100;
/**
 * If an online server does not answer, its probes become urgent after this share (0 to 1) of the time `holdMs`.
 * `holdMs` is the longest time for which a server without answers stays online (see `FailureDetector`).
 */
const URGENT_SHARE = 1 / 2;

/** Dependencies of `ReportRecorder`. */
export interface ReportRecorderDependencies extends ServerRetentionDependencies {
  changes: ServerChanges;
  feed: ChangeFeed;
  probeIntervalMs: number;
  detector: FailureDetector;
  /**
   * The history. It stores the samples of each finished hour, and the times at which servers go offline or come back.
   */
  history?: Pick<HistoryStore, 'sealHour' | 'addOffline' | 'addOnline'> | undefined;
  /** Called after each applied report, with the record of the server before and after the report. */
  onRecorded?: ((report: LeaseReport, before: ServerRecord, after: ServerRecord) => void) | undefined;
}

/**
 * Turns the reports of probers into server records. After reports without a valid reply of a server, the failure
 * detector decides whether the server is offline.
 */
export class ReportRecorder {
  readonly #dependencies: ReportRecorderDependencies;
  readonly #retention: ServerRetention;
  #ignored = 0;
  readonly #changes = { online: 0, offline: 0 };

  constructor(dependencies: ReportRecorderDependencies) {
    this.#dependencies = dependencies;
    this.#retention = new ServerRetention(dependencies);
  }

  /** Number of failed probes that were ignored because the prober's own network connection (uplink) was down. */
  get ignored(): number {
    return this.#ignored;
  }

  /** Number of servers that gsq has stopped tracking since the core started. */
  get forgotten(): number {
    return this.#retention.forgotten;
  }

  /** Number of status changes to `online`, and of those to `offline`, of all servers together. */
  get statusChanges(): Readonly<Record<'online' | 'offline', number>> {
    return this.#changes;
  }

  /**
   * Returns the timeout of the next probe of a server, and whether this probe is urgent. A probe is urgent if gsq must
   * soon decide the status of the server.
   */
  leaseTerms({ gameId, address, inDoubt, onlineAt }: ProbedServer, now: number): LeaseTerms {
    const { detector } = this.#dependencies;
    if (!inDoubt) return { timeoutMs: detector.timeoutMs('', address, false), urgent: false };
    const key = serverKey(gameId, address);
    const urgent =
      onlineAt !== 0 && (now - onlineAt > detector.holdMs * URGENT_SHARE || detector.isDecisive(key, now));
    return { timeoutMs: detector.timeoutMs(key, address, true), urgent };
  }

  /**
   * Records the report about a probe of a server. `server`: record of the server before the report; it is valid until
   * the next change of the store.
   */
  record(report: LeaseReport, server: ServerRecord, uplinks: Uplinks, now: number): void {
    const { outcome, retryAfterMs = 0 } = report;
    const { store, detector, probeIntervalMs } = this.#dependencies;
    if (outcome === 'PROBE_OUTCOME_ONLINE' && report.payload) {
      this.#recordAnswer(report, report.payload, server, uplinks, now);
    } else if (SILENT_REASONS.has(outcome)) {
      this.#recordSilence(report, server, uplinks, now);
    } else if (outcome === 'PROBE_OUTCOME_HELD_BACK') {
      const wait = Math.min(Math.max(retryAfterMs, LEAST_PUT_OFF_MS), MOST_PUT_OFF_MS);
      detector.notePostponed(server.key, now + wait);
      store.apply(report.leaseId, putOff(server, now + wait));
    } else {
      const reason = UNKNOWABLE_REASONS.get(outcome);
      if (reason) this.#recordUnknowable(report, reason, server, now);
      // The outcome of the probe is unknown, or means an error in the prober. Such an outcome says nothing about the
      // server, so only the due time of the server changes.
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
    // The packet counts of a probe are not used while the query port of the server is unknown: the probes then also try
    // ports that never answer, so lost packets say nothing about the server. The exception is a count of 0 sent
    // packets: the data of the server then came from a public server list.
    const counted = signals && (server.queryPort !== 0 || signals.packetsSent === 0);
    const sent = counted ? signals.packetsSent : 1;
    const lost = counted ? Math.min(signals.packetsLost, sent) : 0;
    const address = signals?.address ?? '';
    const probe = { sent, lost, ping: payload.ping, address };
    const { uplinkLoss, lostBefore, wakes } = detector.recordAnswer(uplinks, server, probe, now);
    const found = { payload, queryPort, sent, lost, lostBefore, uplinkLoss };
    const next = recordAnswer(server, found, now, probeIntervalMs);
    this.#apply(report, server, next, payload, now);
    wakes.forEach((key, i) => {
      store.hasten(key, now + i * WAKE_APART_MS);
    });
  }

  #recordSilence(report: LeaseReport, server: ServerRecord, uplinks: Uplinks, now: number): void {
    const { store, detector, probeIntervalMs } = this.#dependencies;
    const { outcome, signals } = report;
    const probe = {
      challenged: signals?.challenged ?? false,
      // True if the server sent anything during the probe. A connection that the server accepted and then closed also
      // counts.
      heard: outcome === 'PROBE_OUTCOME_MALFORMED' || signals?.packetsLost === 0,
      delisted: outcome === 'PROBE_OUTCOME_NOT_LISTED',
      address: signals?.address ?? '',
    };
    const judgement = detector.judgeSilence(uplinks, server, probe, now);
    if (judgement.verdict === 'ignored') {
      this.#ignored++;
      // The network connection of the prober is down, so the missing reply says nothing about the server. The next
      // probe keeps the fixed place (phase) of the server within the probe interval, so that not all servers become due
      // at the same time.
      const intervalMs = server.status === 'offline' ? server.intervalMs : probeIntervalMs;
      store.apply(report.leaseId, putOff(server, nextInPhase(server, now, intervalMs)));
      return;
    }
    const next = this.#afterSilence(SILENT_REASONS.get(outcome) ?? 'no_reply', server, judgement, now);
    // Calls `setAway` before `#apply`: `#apply` can remove the server, and the failure detector then forgets it.
    if (next.status === 'offline' && !mayReturnSoon(now - next.lastOnlineAt)) detector.setAway(next.key);
    this.#apply(report, server, next, undefined, now);
    if (judgement.witness !== '') store.hasten(judgement.witness, now);
    this.#retention.forgetIfNeverAnswered(server, next, judgement.looks);
  }

  #recordUnknowable(report: LeaseReport, reason: Reason, server: ServerRecord, now: number): void {
    const { detector, probeIntervalMs } = this.#dependencies;
    // The server has answered all packets of this probe, so it can be reached. Therefore the failure detector forgets
    // earlier probes of the server that got no answer.
    if (report.signals?.packetsSent && report.signals.packetsLost === 0) detector.forget(server.key);
    const retryMs = Math.min(report.retryAfterMs ?? 0, MOST_RETRY_MS);
    const next = recordUnknowable(server, reason, retryMs, now, probeIntervalMs);
    this.#apply(report, server, next, undefined, now);
  }

  #afterSilence(reason: Reason, server: ServerRecord, judgement: Judgement, now: number): ChangedRecord {
    const { verdict, ...seen } = judgement;
    const found = { ...seen, reason, offline: verdict === 'offline' };
    return recordSilence(server, found, now, this.#dependencies.probeIntervalMs);
  }

  /** `payload`: the answer of the server; undefined if the probe got no valid answer. */
  #apply(
    report: LeaseReport,
    before: ServerRecord,
    next: ChangedRecord,
    payload: ReportedPayload | undefined,
    now: number,
  ): void {
    const { store, changes, feed, history, onRecorded } = this.#dependencies;
    const sample = payload ? onlineSample(payload, next) : unansweredSample(next);
    const sealed = sample && addSample(next, sample);
    if (next.openHour === before.openHour) copyOpenHour(next);
    // Compares the old and the new record before `store.apply`, which overwrites the data of the old record.
    const change = feed.compare(before, next, payload?.visibleEnd, now);
    const awaitsHistory = history !== undefined && (sealed !== undefined || isIncident(before, next));
    if (!store.apply(report.leaseId, next, awaitsHistory)) return;
    if (sealed) history?.sealHour(next.key, sealed);
    if (next.status !== before.status) this.#countChange(before, next, now);
    onRecorded?.(report, before, next);
    changes.publish(next);
    if (change) feed.publish(change);
    this.#retention.forgetIfDead(before, next, now);
  }

  /** Counts a change of the status. Stores the change in the history if the server went offline or came back. */
  #countChange(before: ServerRecord, next: ServerRecord, now: number): void {
    const { history } = this.#dependencies;
    const { key, status, reason } = next;
    if (status === 'pending') return;
    this.#changes[status]++;
    if (!isIncident(before, next)) return;
    // Even if the clock was set back, the new event (offline or online) must be later than all previous events of the
    // server.
    const at = Math.max(now, before.lastProbeAt + 1);
    if (status === 'offline') history?.addOffline(key, at, reason);
    else history?.addOnline(key, at);
  }
}

/** True if the server is online in one record and offline in the other record. */
function isIncident(before: ServerRecord, next: ServerRecord): boolean {
  return before.status !== next.status && before.status !== 'pending' && next.status !== 'pending';
}
