import { isInDoubt, type ServerRecord } from '../servers/server-record.ts';
import { evidenceOf, expectedLoss, firmness, THRESHOLD } from './evidence.ts';
import type { Line, Lines } from './line.ts';
import { LossBook, MOST_TIMEOUT_MS } from './loss-book.ts';
import { type Evidence, type Run, Silence, type SilentHost } from './silence.ts';
import { type Where, whereIs, whereIsHost } from './where.ts';

/** Fewer probes in a row convict nobody (CONTRACT, `_updater`). */
const LEAST_LOOKS = 2;
/**
 * Looks this close to the least silence that convicts decide: they are dense, and some of them have to be lost too. A server that stood still for
 * nearly as long answers again by then.
 */
const DECISIVE_MS = 6_000;
const LEAST_LATE = 2;
/**
 * So many others of a host, and this share of its own evidence, convict a server as one with them. Fewer may have ended just
 * before it stands still.
 */
const LEAST_OTHERS = 8;
const OWN_SHARE = 1 / 3;
/** A host of which no server answered for so long is mute; one silent server among answering ones is not, ms. */
const MUTE_MS = 10_000;
/** A verdict comes this long before a status may be held no longer, ms. */
const MARGIN_MS = 20_000;
/** Lost packets of a silence that ended count as loss, but no more than these. */
const MOST_BOOKED = 24;
/** How a server that never answered is taken to lose packets at least: nothing is known of its way. */
const STRANGER_LOSS = 0.1;
/** Reports gather in the prober for about so long, ms. */
const GATHERED_MS = 250;
/** A witness is asked at once and answers within this, ms. */
const WITNESS_MS = 2_500;
/** A look that comes so long after it was due follows a time in which nobody asked, which says nothing, ms. */
const UNASKED_MS = 30_000;
/** Each time a silent server was asked so often in vain, a reply is waited for longest: the way to it may have become slower. */
const PATIENT_EVERY = 4;

/** What a failed probe says. */
export interface SilentProbe {
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
  /** Packets that the server ought to have answered; 0 if it was not asked itself, but a directory. */
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
  /** The silence is just about as long as it takes: the next look should come at once. */
  isDecisive: boolean;
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

/** A probe without a valid reply, and where it belongs. */
interface Look {
  line: Line;
  where: Where;
  server: ServerRecord;
  run: Run;
  /** A shorter silence convicts nobody, ms. */
  leastMs: number;
  /** When its last packet was sent, and when it was reported, ms. */
  from: number;
  now: number;
}

const NOBODY: readonly string[] = [];
const VOID: Judgement = {
  verdict: 'void',
  looks: 0,
  challenged: 0,
  hostAnswers: false,
  isDecisive: false,
  witness: '',
};

/**
 * An accrual failure detector over measured loss: a server is offline when a live one, at the loss its host, its network and
 * our own line show, would have been silent this often with a probability below 10^-8 (docs/decisions/0013).
 */
export class FailureDetector {
  readonly #losses = new LossBook();
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
    return this.#losses.hosts;
  }

  /** How long a status is held at most without a valid reply, ms. */
  get holdMs(): number {
    return this.#holdMs;
  }

  /** How long a reply of a server is worth waiting for, ms; 0 for the longest. `inDoubt`: its last probe was not answered. */
  timeoutMs(key: string, address: string, inDoubt: boolean): number {
    if (inDoubt && (this.#silence.run(key)?.looks ?? 0) % PATIENT_EVERY === 0) return 0;
    return this.#losses.timeoutMs(whereIs(address).host);
  }

  /** Takes in a valid reply. `server`: as it was before. */
  answered(lines: Lines, server: ServerRecord, probe: AnsweredProbe, now: number): Recovery {
    const where = whereOf(server, probe.address);
    const line = lines.to(where);
    const run = this.#runOf(server);
    const { sent, lost, ping } = probe;
    if (sent === 0) {
      // A directory's word says nothing of the way to the server.
      if (run) this.#silence.end(run);
      return { lineLoss: line.loss, lostBefore: 0, wakes: NOBODY };
    }
    line.heard(where.network, server.key, now);
    if (server.status === 'online' && !isInDoubt(server)) line.outage.firstLook(where.network, true, now);
    const silentHost = this.#silence.host(where.host);
    const lostBefore = run && !run.convicted ? Math.min(lostIn(run), MOST_BOOKED) : 0;
    this.#losses.count(line, where, sent + lostBefore, lost + lostBefore, ping, now);
    if (probe.address !== '') this.#losses.noteRoundTrip(whereIs(server.address).host, ping, now);
    const wakes = silentHost ? revive(silentHost, server.key, now) : NOBODY;
    if (run) this.#recover(run, now);
    return { lineLoss: line.loss, lostBefore, wakes };
  }

  #recover(run: Run, now: number): void {
    this.#losses.noteSilence(run.host.key, now - run.silence.since);
    this.#silence.end(run);
  }

  /** The silence of a server; undefined if it is not silent. */
  #runOf({ key, lastProbeAt, lastOnlineAt }: ServerRecord): Run | undefined {
    // Mostly the last probe was answered, and a key has to be hashed to be looked up.
    if (lastProbeAt === lastOnlineAt && lastProbeAt !== 0) return undefined;
    const run = this.#silence.run(key);
    if (!run || lastProbeAt !== 0) return run;
    // The silence of one that was removed: this one was inserted in its place.
    this.#silence.end(run);
    return undefined;
  }

  /** Judges a probe without a valid reply. `server`: as it was before. */
  silent(lines: Lines, server: ServerRecord, probe: SilentProbe, now: number): Judgement {
    const where = whereOf(server, probe.address);
    const line = lines.to(where);
    let run = this.#runOf(server);
    if (!probe.delisted && !hears(line, where.network, server, probe, run !== undefined, now)) {
      if (run && !run.convicted && run.lines.includes(line)) this.#silence.end(run);
      return VOID;
    }
    const timeoutMs = this.timeoutMs(server.key, server.address, isInDoubt(server)) || MOST_TIMEOUT_MS;
    const from = now - timeoutMs - GATHERED_MS;
    const wasUnasked = from - server.nextProbeAt > UNASKED_MS;
    if (run && !run.convicted && wasUnasked) {
      this.#silence.end(run);
      run = undefined;
    }
    run ??= this.#silence.begin(server.key, where.host, {
      since: from,
      heldSince: wasUnasked ? from : server.lastOnlineAt,
      isKnown: server.lastOnlineAt !== 0,
    });
    if (!run.lines.includes(line)) run.lines.push(line);
    run.looks++;
    const leastMs = this.#losses.leastSilenceMs(where.host);
    const witness = this.#count({ line, where, server, run, leastMs, from, now }, probe);
    const offline = server.status === 'offline' || this.#isOffline(line, where, server, run, leastMs, now);
    if (offline) run.convicted = true;
    const { looks, challenged, host } = run;
    return {
      verdict: offline ? 'offline' : 'doubt',
      looks,
      challenged,
      hostAnswers: host.heardAt > run.since,
      isDecisive: isDecisive(run, leastMs, now),
      witness,
    };
  }

  /** Whether a look at a silent server is likely to decide: its silence is just about as long as it takes. */
  isDecisive(key: string, now: number): boolean {
    const run = this.#silence.run(key);
    return run !== undefined && isDecisive(run, this.#losses.leastSilenceMs(run.host.key), now);
  }

  /** Counts looks that were lost while the line worked; returns the server to ask if nothing shows that it did, or empty. */
  #count(look: Look, probe: SilentProbe): string {
    const { line, where, server, run, from, now } = look;
    const { unwitnessed } = run;
    run.unwitnessed = undefined;
    if (probe.delisted) {
      // Two answers of a directory that knows all servers are proof enough.
      run.silence.add(now, 0, () => THRESHOLD / LEAST_LOOKS);
      return '';
    }
    if (probe.challenged) {
      // Something is alive there, and the line works.
      run.challenged++;
      run.silence.clear();
      run.host.heard(now);
      this.#add(look, run.behindChallenge, from);
      return '';
    }
    // Nothing is left to find out.
    if (run.convicted || server.status === 'offline') return '';
    if (unwitnessed?.line.heardOthers(where.network, unwitnessed.from, unwitnessed.to))
      this.#add(look, run.silence, unwitnessed.from);
    if (
      probe.heard ||
      !line.expectsOthers(where.network, now) ||
      line.heardOthers(where.network, from, now)
    ) {
      this.#add(look, run.silence, from);
      return '';
    }
    run.unwitnessed = { line, from, to: now + WITNESS_MS };
    return line.witness(where.network);
  }

  #add({ line, where, server, run, leastMs, now }: Look, evidence: Evidence, from: number): void {
    if (run.convicted || server.status === 'offline') return;
    const { share: hostLoss, packets: hostPackets } = this.#losses.lossOf(line, where, now);
    const { answers, lossShare: ownShare } = server.history;
    const loss =
      server.lastOnlineAt === 0
        ? Math.max(hostLoss, STRANGER_LOSS)
        : expectedLoss({ hostLoss, lineLoss: line.loss, hostPackets, answers, ownShare });
    const firm = firmness(hostPackets);
    evidence.add(from, leastMs - DECISIVE_MS, nth => evidenceOf(loss, firm, nth));
    if (evidence === run.silence) run.host.missed(from);
  }

  #isOffline(line: Line, where: Where, server: ServerRecord, run: Run, least: number, now: number): boolean {
    if (run.looks < LEAST_LOOKS) return false;
    const { host, silence, behindChallenge } = run;
    for (const { since, nats, late } of [silence, behindChallenge])
      if (now - since >= least && nats >= THRESHOLD && late >= LEAST_LATE) return true;
    if (silence.nats >= OWN_SHARE * THRESHOLD && now - host.silentSince >= least) {
      const others = host.othersSince(run, server.lastOnlineAt);
      if (others.servers >= LEAST_OTHERS && others.nats >= THRESHOLD && now - others.since >= least)
        return true;
    }
    const hold = Math.max(this.#holdMs, 3 * server.intervalMs) - MARGIN_MS;
    const heldSince = Math.max(run.heldSince, line.listeningSince);
    return (
      server.lastOnlineAt !== 0 &&
      now - heldSince >= hold &&
      now - run.since >= least &&
      line.isGoodFor(where.network, now)
    );
  }

  /** Forgets the silence of a server that is tracked no longer, has been offline for long, or said something without telling of itself. */
  forget(key: string): void {
    const run = this.#silence.run(key);
    if (run) this.#silence.end(run);
  }
}

function whereOf(server: ServerRecord, address: string): Where {
  return address === '' ? whereIs(server.address) : whereIsHost(address);
}

/**
 * Tells a line of a probe without a valid reply, and whether the probe says anything: not if nothing came back while the
 * line is out. `wasSilent`: the server was silent before.
 */
function hears(
  line: Line,
  network: number,
  { key, status }: ServerRecord,
  { heard, challenged }: SilentProbe,
  wasSilent: boolean,
  now: number,
): boolean {
  if (heard || challenged) {
    line.heard(network, key, now);
    return true;
  }
  if (status === 'online') {
    line.missed(network, now);
    if (wasSilent) line.outage.missed(network, now);
    else line.outage.firstLook(network, false, now);
  } else if (!line.hasHeard) line.outage.missed(network, now);
  return !line.outage.isOpen;
}

function isDecisive({ since, convicted }: Run, leastMs: number, now: number): boolean {
  return !convicted && Math.abs(now - since - leastMs) <= DECISIVE_MS;
}

function lostIn({ silence, behindChallenge }: Run): number {
  return silence.lost + behindChallenge.lost;
}

/** A server of the host answers: if all of the host was silent, the others are worth asking too. */
function revive(host: SilentHost, key: string, now: number): readonly string[] {
  const wasMute = now - host.silentSince >= MUTE_MS && host.runs.size > 1;
  host.heard(now);
  return wasMute ? [...host.runs.keys()].filter(other => other !== key) : NOBODY;
}
