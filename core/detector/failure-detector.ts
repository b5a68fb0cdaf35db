import { isInDoubt, type ServerRecord } from '../servers/server-record.ts';
import { type AnsweredProbe, IGNORED, type Judgement, type Recovery, type SilentProbe } from './judgement.ts';
import { countLook } from './look-evidence.ts';
import { type NetworkKeys, networkKeysOf, networkKeysOfHost } from './network-keys.ts';
import { MOST_TIMEOUT_MS, PathLoss } from './path-loss.ts';
import { type Run, Silence } from './silence.ts';
import type { Uplink, Uplinks } from './uplink.ts';
import { isDecisive, isOffline, reviveHost } from './verdict.ts';

/**
 * Maximum number of lost packets that are added to the measured packet loss when a silent server answers again. The
 * answer shows that the server was alive and its packets were lost.
 */
const MOST_LOST_BEFORE = 24;
/** Approximate time that the report of a probe waits in the prober before it is sent, ms. */
const GATHERED_MS = 250;
/**
 * If a probe is sent more than this long after its due time, ms, the detector counts unanswered probes from 0 again. A
 * time without probes is no evidence against the server.
 */
const UNASKED_MS = 30_000;
/**
 * Every fourth probe of a server that does not answer gets the longest timeout, because the path to the server has
 * perhaps become slower.
 */
const PATIENT_EVERY = 4;

const NOBODY: readonly string[] = [];

/**
 * Accrual failure detector: decides from measured packet loss whether a silent server is offline. The probability that
 * a live server gets the verdict "offline" is below 10^-8 (docs/decisions/0013).
 */
export class FailureDetector {
  readonly #losses = new PathLoss();
  readonly #silence = new Silence();
  readonly #holdMs: number;

  /**
   * `holdMs`: longest time for which a server keeps its status without a valid reply, ms: 600 s in the API contract
   * (CONTRACT). If three probe intervals of a server are longer, the server keeps its status for three intervals.
   */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** Number of servers that do not answer at the moment. */
  get silentServers(): number {
    return this.#silence.servers;
  }

  /** Number of hosts whose packet loss is measured. */
  get knownHosts(): number {
    return this.#losses.hosts;
  }

  /** Longest time for which a server keeps its status without a valid reply, ms. */
  get holdMs(): number {
    return this.#holdMs;
  }

  /**
   * Returns the reply timeout for the next probe of a server, ms; 0 means the longest timeout. `inDoubt`: true if the
   * server did not answer its last probe.
   */
  timeoutMs(key: string, address: string, inDoubt: boolean): number {
    if (inDoubt && (this.#silence.run(key)?.looks ?? 0) % PATIENT_EVERY === 0) return 0;
    return this.#losses.timeoutMs(networkKeysOf(address).host);
  }

  /**
   * Records a valid reply. `server`: record of the server before the reply. `uplinks`: network connections of the
   * prober that received the reply.
   */
  recordAnswer(uplinks: Uplinks, server: ServerRecord, probe: AnsweredProbe, now: number): Recovery {
    const keys = probedKeys(server, probe.address);
    const uplink = uplinks.uplinkTo(keys);
    const run = this.#runOf(server);
    const { sent, lost, ping } = probe;
    if (sent === 0) {
      // No packet was sent to the server, because its data came from the public server list of the game. The data shows
      // nothing about the path to the server.
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

  /**
   * Judges a server after a probe without a valid reply. `server`: record of the server before the probe. `uplinks`:
   * network connections of the prober that sent the probe.
   */
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

  /**
   * A silent server gets the verdict "offline" at a certain time at the earliest. Returns true shortly before and after
   * this time: the next probe then probably decides.
   */
  isDecisive(key: string, now: number): boolean {
    const run = this.#silence.run(key);
    return run !== undefined && isDecisive(run, this.#losses.leastSilenceMs(run.host.key), now);
  }

  /**
   * Ends the series of unanswered probes of a server, and gives no verdict. Call this method if the server was removed,
   * has been offline for a long time, or has sent a reply without a status.
   */
  forget(key: string): void {
    const run = this.#silence.run(key);
    if (run) this.#silence.end(run);
  }

  /** Returns the current series (run) of unanswered probes of a server; undefined if there is none. */
  #runOf({ key, lastProbeAt, lastOnlineAt }: ServerRecord): Run | undefined {
    // If `lastProbeAt` equals `lastOnlineAt`, the server answered its last probe, so no series exists. This comparison
    // is cheaper than looking up the series by the server's key.
    if (lastProbeAt === lastOnlineAt && lastProbeAt !== 0) return undefined;
    const run = this.#silence.run(key);
    if (!run || lastProbeAt !== 0) return run;
    // The server was removed and inserted again, and has not been probed since. Its old series of unanswered probes
    // ends.
    this.#silence.end(run);
    return undefined;
  }

  /**
   * Returns the run (series of unanswered probes of one server) for a new unanswered probe, sent at `from` (ms). Begins
   * a new run if there is none, or if the server was not probed for a long time.
   */
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

/**
 * Returns the 32-bit keys that identify the probed host and its network. `address`: if the server has a host name, the
 * IP address that was probed; otherwise empty.
 */
function probedKeys(server: ServerRecord, address: string): NetworkKeys {
  return address === '' ? networkKeysOf(server.address) : networkKeysOfHost(address);
}

/**
 * Adds a probe without a valid reply to the state of the uplink (the prober's network connection). Returns false if the
 * uplink seems to be down: the probe is then no evidence. `wasSilent`: true if the previous probe was unanswered too.
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
