import { isInDoubt, type ServerRecord } from '../servers/server-record.ts';
import { type AnsweredProbe, IGNORED, type Judgement, type Recovery, type SilentProbe } from './judgement.ts';
import { countLook } from './look-evidence.ts';
import { type NetworkKeys, networkKeysOf, networkKeysOfHost } from './network-keys.ts';
import { MOST_TIMEOUT_MS, PathLoss } from './path-loss.ts';
import { type Run, Silence } from './silence.ts';
import type { Uplink, Uplinks } from './uplink.ts';
import { isDecisive, isOffline, reviveHost } from './verdict.ts';

/** Most packets of an ended silence that count as loss of the path. */
const MOST_LOST_BEFORE = 24;
/** Reports wait in the prober for about this long, ms. */
const GATHERED_MS = 250;
/** A look this long after its due time follows a gap without probes; the gap says nothing about the server. In ms. */
const UNASKED_MS = 30_000;
/** Every so many looks at a silent server get the longest timeout: the path to it may have become slower. */
const PATIENT_EVERY = 4;

const NOBODY: readonly string[] = [];

/**
 * An accrual failure detector over measured loss. A server is offline if a live one, at the loss of its host, its network
 * and our own uplink, would have been silent this often with a probability below 10^-8 (docs/decisions/0013).
 */
export class FailureDetector {
  readonly #losses = new PathLoss();
  readonly #silence = new Silence();
  readonly #holdMs: number;

  /** `holdMs`: how long a status is kept at most without a valid reply (CONTRACT, 600 s). */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** Number of silent servers. */
  get silentServers(): number {
    return this.#silence.servers;
  }

  /** Number of hosts whose loss is known. */
  get knownHosts(): number {
    return this.#losses.hosts;
  }

  /** How long a status is kept at most without a valid reply, ms. */
  get holdMs(): number {
    return this.#holdMs;
  }

  /** Timeout of the next probe of a server, ms; 0 for the longest. `inDoubt`: its last probe was not answered. */
  timeoutMs(key: string, address: string, inDoubt: boolean): number {
    if (inDoubt && (this.#silence.run(key)?.looks ?? 0) % PATIENT_EVERY === 0) return 0;
    return this.#losses.timeoutMs(networkKeysOf(address).host);
  }

  /** Records a valid reply. `server`: its record before the reply. */
  recordAnswer(uplinks: Uplinks, server: ServerRecord, probe: AnsweredProbe, now: number): Recovery {
    const keys = probedKeys(server, probe.address);
    const uplink = uplinks.uplinkTo(keys);
    const run = this.#runOf(server);
    const { sent, lost, ping } = probe;
    if (sent === 0) {
      // A directory answered, which says nothing about the path to the server.
      if (run) this.#silence.end(run);
      return { uplinkLoss: uplink.loss, lostBefore: 0, wakes: NOBODY };
    }
    uplink.heard(keys.network, server.key, now);
    if (server.status === 'online' && !isInDoubt(server)) uplink.outage.firstLook(keys.network, true, now);
    const silentHost = this.#silence.host(keys.host);
    const lostBefore = run && !run.convicted ? Math.min(lostIn(run), MOST_LOST_BEFORE) : 0;
    this.#losses.count(uplink, keys, sent + lostBefore, lost + lostBefore, ping, now);
    if (probe.address !== '') this.#losses.noteRoundTrip(networkKeysOf(server.address).host, ping, now);
    const wakes = silentHost ? reviveHost(silentHost, server.key, now) : NOBODY;
    if (run) {
      this.#losses.noteSilence(run.host.key, now - run.silence.since);
      this.#silence.end(run);
    }
    return { uplinkLoss: uplink.loss, lostBefore, wakes };
  }

  /** Judges a probe without a valid reply. `server`: its record before the probe. */
  judgeSilence(uplinks: Uplinks, server: ServerRecord, probe: SilentProbe, now: number): Judgement {
    const keys = probedKeys(server, probe.address);
    const uplink = uplinks.uplinkTo(keys);
    const known = this.#runOf(server);
    if (!probe.delisted && !countsAsSilence(uplink, keys.network, server, probe, known !== undefined, now)) {
      if (known && !known.convicted && known.uplinks.includes(uplink)) this.#silence.end(known);
      return IGNORED;
    }
    const timeoutMs = this.timeoutMs(server.key, server.address, isInDoubt(server)) || MOST_TIMEOUT_MS;
    const from = now - timeoutMs - GATHERED_MS;
    const run = this.#runWith(known, server, keys.host, from);
    if (!run.uplinks.includes(uplink)) run.uplinks.push(uplink);
    run.looks++;
    const leastMs = this.#losses.leastSilenceMs(keys.host);
    const witness = countLook(this.#losses, { uplink, keys, server, run, leastMs, from, now }, probe);
    const offline =
      server.status === 'offline' || isOffline(uplink, keys, server, run, leastMs, this.#holdMs, now);
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

  /** Whether the next look at a silent server is likely to decide: its silence is about as long as a verdict needs. */
  isDecisive(key: string, now: number): boolean {
    const run = this.#silence.run(key);
    return run !== undefined && isDecisive(run, this.#losses.leastSilenceMs(run.host.key), now);
  }

  /** Forgets the silence of a server: it was removed, has been offline for long, or has replied without a status. */
  forget(key: string): void {
    const run = this.#silence.run(key);
    if (run) this.#silence.end(run);
  }

  /** The silence of a server; undefined if it is not silent. */
  #runOf({ key, lastProbeAt, lastOnlineAt }: ServerRecord): Run | undefined {
    // Most servers answered their last probe, and looking a key up costs its hash.
    if (lastProbeAt === lastOnlineAt && lastProbeAt !== 0) return undefined;
    const run = this.#silence.run(key);
    if (!run || lastProbeAt !== 0) return run;
    // The run belongs to a removed server; this one was inserted in its place.
    this.#silence.end(run);
    return undefined;
  }

  /** The run that a look sent at `from` belongs to: the known one, or a new one if there is none or a gap ended it. */
  #runWith(known: Run | undefined, server: ServerRecord, host: number, from: number): Run {
    const wasUnasked = from - server.nextProbeAt > UNASKED_MS;
    if (known && (known.convicted || !wasUnasked)) return known;
    if (known) this.#silence.end(known);
    return this.#silence.begin(server.key, host, {
      since: from,
      heldSince: wasUnasked ? from : server.lastOnlineAt,
      isKnown: server.lastOnlineAt !== 0,
    });
  }
}

/** The network keys of the address that was probed. */
function probedKeys(server: ServerRecord, address: string): NetworkKeys {
  return address === '' ? networkKeysOf(server.address) : networkKeysOfHost(address);
}

/**
 * Tells the uplink of a probe without a valid reply. Returns whether the probe says anything about the server: not if
 * nothing came back while the uplink is out. `wasSilent`: the server was silent before.
 */
function countsAsSilence(
  uplink: Uplink,
  network: number,
  { key, status }: ServerRecord,
  { heard, challenged }: SilentProbe,
  wasSilent: boolean,
  now: number,
): boolean {
  if (heard || challenged) {
    uplink.heard(network, key, now);
    return true;
  }
  if (status === 'online') {
    uplink.missed(network, now);
    if (wasSilent) uplink.outage.missed(network, now);
    else uplink.outage.firstLook(network, false, now);
  } else if (!uplink.hasHeard) uplink.outage.missed(network, now);
  return !uplink.outage.isOpen;
}

function lostIn({ silence, behindChallenge }: Run): number {
  return silence.lost + behindChallenge.lost;
}
