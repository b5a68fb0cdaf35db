import { isInDoubt, type ServerRecord } from '../servers/server-record.ts';
import { evidenceOf, expectedLoss, firmness, shareLost, THRESHOLD } from './evidence.ts';
import type { Line } from './line.ts';
import { LossTable } from './loss-table.ts';
import { type Run, Silence, type SilentHost } from './silence.ts';
import { type Where, whereIs, whereIsHost } from './where.ts';

const MOST_HOSTS = 2 ** 20;
const MOST_NETWORKS = 2 ** 18;

/** Fewer probes in a row convict nobody (CONTRACT, `_updater`). */
const LEAST_LOOKS = 2;
/**
 * A silence shorter than this convicts nobody, however many looks it holds, ms: losses come in bursts, and a server stands
 * still for 45 s while it changes maps. It is twice the longest silence the host recovered from, between these.
 */
const LEAST_SILENCE_MS = 50_000;
const MOST_SILENCE_MS = 120_000;
/** So many others of a host have to be silent for their evidence to count for one, which needs this share of its own. */
const LEAST_OTHERS = 2;
const OWN_SHARE = 1 / 3;
/** A host of which no server answered for so long is mute; one silent server among answering ones is not, ms. */
const MUTE_MS = 10_000;
/** A verdict comes this long before a status may be held no longer, ms. */
const MARGIN_MS = 20_000;
/** Lost packets of a silence that ended count as loss, but no more than these. */
const MOST_BOOKED = 24;
/** How a server that never answered is taken to lose packets at least: nothing is known of its way. */
const STRANGER_LOSS = 0.1;
/** A reply to a packet is waited for so long, by the round trip of its host, ms. */
const TIMEOUT = { roundTrips: 4, added: 300, least: 750, most: 2_000 };
/** Reports gather in the prober for about so long, ms. */
const GATHERED_MS = 250;
/** A witness is asked at once and answers within this, ms. */
const WITNESS_MS = 2_500;

/** What a failed probe says. */
export interface SilentProbe {
  /** Packets that were lost, rejected ones among them; at least 1. */
  lost: number;
  challenged: boolean;
  /** Something else than silence came back, which shows that the line works. */
  heard: boolean;
  /** The directory that knows all servers of the game does not know it. */
  delisted: boolean;
  /** The IP address that was asked, if the server is named by a host; else empty. */
  address: string;
}

/** What an answered probe says. */
export interface AnsweredProbe {
  /** Packets that the server ought to have answered. */
  sent: number;
  lost: number;
  /** Round trip, ms; 0 if it was not measured. */
  ping: number;
  address: string;
}

/** What silence means. */
export interface Judgement {
  /** `void`: our own line is out, so the probe says nothing. */
  verdict: 'doubt' | 'offline' | 'void';
  /** Probes in a row without a valid reply, this one included. */
  looks: number;
  /** In how many of them the server demanded a challenge. */
  challenged: number;
  /** Others at the same host answer meanwhile. */
  hostAnswers: boolean;
  /** A server to ask at once, by its key, to tell silence there from silence here; empty if none is needed. */
  witness: string;
}

/** What an answer means for others. */
export interface Recovery {
  /** Share of packets lost on the prober's line. */
  lineLoss: number;
  /** Packets lost in the silence that this answer ended; 0 if there was none, or if the server was found offline in it. */
  lostBefore: number;
  /** Servers of the same host, by their keys, that were silent as one with this one and are worth asking at once. */
  wakes: readonly string[];
}

const NOBODY: readonly string[] = [];
const VOID: Judgement = { verdict: 'void', looks: 0, challenged: 0, hostAnswers: false, witness: '' };

/**
 * An accrual failure detector over measured loss: a server is offline when a live one, at the loss its host, its network and
 * our own line show, would have been silent this often with a probability below 10^-8 (docs/decisions/0013).
 */
export class FailureDetector {
  readonly #hosts = new LossTable(MOST_HOSTS);
  readonly #networks = new LossTable(MOST_NETWORKS);
  readonly #silence = new Silence();
  readonly #holdMs: number;

  /** `holdMs`: how long a status is held at most without a valid reply (CONTRACT, 600 s). */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** Servers that are silent now. */
  get silentServers(): number {
    return this.#silence.servers;
  }

  /** Hosts whose loss is known. */
  get knownHosts(): number {
    return this.#hosts.size;
  }

  /** How long a reply of a server is worth waiting for, ms; 0 if its host's round trip is not known. */
  timeoutMs(address: string): number {
    const host = this.#hosts.find(whereIs(address).host);
    const roundTrip = host < 0 ? 0 : this.#hosts.roundTrip(host);
    if (roundTrip === 0) return 0;
    const { roundTrips, added, least, most } = TIMEOUT;
    return Math.round(Math.min(Math.max(roundTrips * roundTrip + added, least), most));
  }

  /** Takes in a valid reply. `server`: as it was before. */
  answered(line: Line, server: ServerRecord, probe: AnsweredProbe, now: number): Recovery {
    const where = whereOf(server, probe.address);
    line.heard(where.network, server.key, now);
    if (server.status === 'online' && !isInDoubt(server)) line.outage.firstLook(where.network, true, now);
    const silentHost = this.#silence.host(where.host);
    const run = this.#runOf(server);
    const lostBefore = run && !run.convicted ? Math.min(run.lost, MOST_BOOKED) : 0;
    this.#book(line, where, probe, lostBefore, now);
    const wakes = silentHost ? this.#revive(silentHost, server.key, now) : NOBODY;
    if (run) this.#recover(run, now);
    return { lineLoss: line.loss, lostBefore, wakes };
  }

  #book(
    line: Line,
    { host, network }: Where,
    { sent, lost, ping }: AnsweredProbe,
    lostBefore: number,
    now: number,
  ): void {
    const [allSent, allLost] = [sent + lostBefore, lost + lostBefore];
    line.count(allSent, allLost, now);
    const hostEntry = this.#hosts.enter(host, now);
    if (hostEntry >= 0) {
      this.#hosts.count(hostEntry, allSent, allLost);
      if (ping > 0) this.#hosts.noteRoundTrip(hostEntry, ping);
    }
    const networkEntry = this.#networks.enter(network, now);
    if (networkEntry >= 0) this.#networks.count(networkEntry, allSent, allLost);
  }

  /** The host answers: if all of it was silent, the others are worth asking too. */
  #revive(host: SilentHost, key: string, now: number): readonly string[] {
    const mute = now - host.since >= MUTE_MS && host.runs.size > 1;
    host.heard(now);
    return mute ? [...host.runs.keys()].filter(other => other !== key) : NOBODY;
  }

  #recover(run: Run, now: number): void {
    const silence = now - run.since;
    const entry = this.#hosts.find(run.host.key);
    // Who was away for longer was down, which says nothing about the way to it.
    if (entry >= 0 && silence > 0 && silence <= MOST_SILENCE_MS) this.#hosts.noteSilence(entry, silence);
    this.#silence.end(run);
  }

  /** The silence of a server; undefined if it is not silent. */
  #runOf({ key, lastProbeAt }: ServerRecord): Run | undefined {
    const run = this.#silence.run(key);
    if (!run || lastProbeAt !== 0) return run;
    // The silence of one that was removed: this one was inserted in its place.
    this.#silence.end(run);
    return undefined;
  }

  /** Judges a probe without a valid reply. `server`: as it was before. */
  silent(line: Line, server: ServerRecord, probe: SilentProbe, now: number): Judgement {
    const where = whereOf(server, probe.address);
    const wasOnline = server.status === 'online';
    let run = this.#runOf(server);
    if (wasOnline && !run && !probe.heard) {
      line.outage.firstLook(where.network, false, now);
      line.missed(where.network, now);
    }
    if (line.outage.isOpen && !probe.heard) {
      if (run && !run.convicted) this.#silence.end(run);
      return VOID;
    }
    run ??= this.#silence.begin(server.key, where.host);
    run.looks++;
    if (probe.challenged) run.challenged++;
    const witness = this.#count(line, where, server, run, probe, now);
    const offline = server.status === 'offline' || this.#isOffline(line, server, run, now);
    if (offline) run.convicted = true;
    const { looks, challenged, host } = run;
    return {
      verdict: offline ? 'offline' : 'doubt',
      looks,
      challenged,
      hostAnswers: host.heardAt > run.since,
      witness,
    };
  }

  /** Counts the packets that were lost while another network answered; the server to ask if none has. */
  #count(line: Line, where: Where, server: ServerRecord, run: Run, probe: SilentProbe, now: number): string {
    if (probe.delisted) {
      run.since = Math.min(run.since, now);
      run.evidence += THRESHOLD / LEAST_LOOKS;
      return '';
    }
    const from = now - (this.timeoutMs(server.address) || TIMEOUT.most) - GATHERED_MS;
    const { unwitnessed } = run;
    run.unwitnessed = undefined;
    if (unwitnessed && line.heardOthers(where.network, unwitnessed.from, unwitnessed.to))
      this.#add(line, where, server, run, unwitnessed.lost, unwitnessed.from, now);
    if (
      probe.heard ||
      !line.expectsOthers(where.network, now) ||
      line.heardOthers(where.network, from, now)
    ) {
      this.#add(line, where, server, run, probe.lost, from, now);
      return '';
    }
    run.unwitnessed = { lost: probe.lost, from, to: now + WITNESS_MS };
    return line.witness(where.network);
  }

  #add(
    line: Line,
    where: Where,
    server: ServerRecord,
    run: Run,
    lost: number,
    from: number,
    now: number,
  ): void {
    if (run.convicted || server.status === 'offline') return;
    run.since = Math.min(run.since, from);
    const lineLoss = line.loss;
    const network = this.#networks.enter(where.network, now);
    const networkLoss =
      network < 0
        ? lineLoss
        : shareLost(this.#networks.sent(network), this.#networks.lost(network), lineLoss);
    const host = this.#hosts.enter(where.host, now);
    const hostPackets = host < 0 ? 0 : this.#hosts.sent(host);
    const hostLoss = host < 0 ? networkLoss : shareLost(hostPackets, this.#hosts.lost(host), networkLoss);
    const { answers, lossShare: ownShare } = server.history;
    const loss =
      server.lastOnlineAt === 0
        ? Math.max(hostLoss, STRANGER_LOSS)
        : expectedLoss({ hostLoss, lineLoss, hostPackets, answers, ownShare });
    const firm = firmness(hostPackets);
    for (let i = 0; i < lost; i++) run.evidence += evidenceOf(loss, firm, ++run.lost);
    const silentHost = run.host;
    // What was lost before the host last answered says nothing of the host.
    if (from < silentHost.heardAt) return;
    silentHost.since = Math.min(silentHost.since, from);
    for (let i = 0; i < lost; i++) silentHost.evidence += evidenceOf(hostLoss, firm, ++silentHost.lost);
  }

  #isOffline(line: Line, server: ServerRecord, run: Run, now: number): boolean {
    if (run.looks < LEAST_LOOKS) return false;
    if (server.lastOnlineAt === 0) return run.evidence >= THRESHOLD;
    const entry = this.#hosts.find(run.host.key);
    const recovered = entry < 0 ? 0 : this.#hosts.silence(entry);
    const least = Math.min(Math.max(2 * recovered, LEAST_SILENCE_MS), MOST_SILENCE_MS);
    // That siblings have been silent for longer says nothing of one that answered since.
    if (now - run.since < least) return false;
    if (run.evidence >= THRESHOLD) return true;
    const { host } = run;
    if (
      now - host.since >= least &&
      host.othersSilent(run) >= LEAST_OTHERS &&
      host.evidence - run.evidence >= THRESHOLD &&
      run.evidence >= OWN_SHARE * THRESHOLD
    )
      return true;
    const heldSince = Math.max(server.lastOnlineAt, line.listeningSince);
    const hold = Math.max(this.#holdMs, 3 * server.intervalMs) - MARGIN_MS;
    return now - heldSince >= hold;
  }

  /** Forgets a server that is tracked no longer, or that has been offline for long. */
  forget(key: string): void {
    const run = this.#silence.run(key);
    if (run) this.#silence.end(run);
  }
}

function whereOf(server: ServerRecord, address: string): Where {
  return address === '' ? whereIs(server.address) : whereIsHost(address);
}
