import { isInDoubt, type ServerRecord } from '../servers/server-record.ts';
import { AwayServers } from './away-servers.ts';
import { type AnsweredProbe, IGNORED, type Judgement, type Recovery, type SilentProbe } from './judgement.ts';
import { countLook } from './look-evidence.ts';
import { type NetworkKeys, networkKeysOf, networkKeysOfHost } from './network-keys.ts';
import { MOST_TIMEOUT_MS, PathLoss } from './path-loss.ts';
import { type Run, Silence } from './silence.ts';
import type { Uplink, Uplinks } from './uplink.ts';
import { isDecisive, isOffline, MUTE_MS, reviveHost } from './verdict.ts';

/**
 * Maximum number of packets that count as lost when a silent server answers again. The answer shows that the server was
 * alive, so the earlier packets without an answer were lost. The detector adds them to the measured packet loss.
 */
const MOST_LOST_BEFORE = 24;
/** Approximate time that the report of a probe waits in the prober before the prober sends it to the core, ms. */
const GATHERED_MS = 250;
/**
 * Longest time between two probes of a server that does not answer, ms. After a longer time, the failure detector
 * counts the unanswered probes of this server from 0 again. The reason: nobody asked the server in this time, for
 * example because a DNS look-up failed, so its silence proves nothing. The planned pauses are at most 6.25 s.
 */
const UNASKED_MS = 30_000;
/** Longest planned time from an answer of a server to its next probe, in probe intervals (see `nextInPhase`). */
const MOST_INTERVALS = 1.5;
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
  readonly #away = new AwayServers();
  readonly #holdMs: number;

  /**
   * `holdMs`: longest time for which a server keeps its status without a valid reply, ms. The API contract (CONTRACT)
   * says 600 s. For a server with a long probe interval, the limit is three probe intervals, if they are longer than
   * `holdMs`.
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
    const away = server.status === 'offline' ? this.#othersAway(server, now) : NOBODY;
    if (sent === 0) {
      // The data came from the public server list of the game, so no packet was sent to the server. Therefore this
      // probe tells nothing about packet loss on the path to the server.
      if (run) this.#silence.end(run);
      return { uplinkLoss: uplink.loss, lostBefore: 0, wakes: NOBODY };
    }
    uplink.heard(keys.network, server.key, now);
    if (server.status === 'online' && !isInDoubt(server)) uplink.outage.firstLook(keys.network, true, now);
    const silentHost = this.#silence.host(keys.host);
    const lostBefore = run && !run.convicted ? Math.min(lostIn(run), MOST_LOST_BEFORE) : 0;
    this.#losses.count(uplink, keys, sent + lostBefore, lost + lostBefore, ping, now);
    if (probe.address !== '') this.#losses.noteRoundTrip(networkKeysOf(server.address).host, ping, now);
    const silent = silentHost ? reviveHost(silentHost, server.key, now) : NOBODY;
    const wakes = away.length === 0 ? silent : [...silent, ...away];
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
    // A long pause before the next probe does not end the run of unanswered probes if the publisher's list does not
    // contain the server.
    run.askedUntil = probe.delisted ? Number.POSITIVE_INFINITY : from;
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
   * Returns true if the next probe of a silent server will probably decide whether the server counts as offline. This
   * is the case shortly before and after the earliest time at which gsq can declare the server offline.
   */
  isDecisive(key: string, now: number): boolean {
    const run = this.#silence.run(key);
    return run !== undefined && isDecisive(run, this.#losses.leastSilenceMs(run.host.key), now);
  }

  /**
   * Notes that a rate limit delays the next probe of a server until the time `until` (ms). Without this note, a long
   * delay restarts the count of unanswered probes, so a server on a host with very many servers never becomes offline.
   */
  notePostponed(key: string, until: number): void {
    const run = this.#silence.run(key);
    if (run) run.askedUntil = Math.max(run.askedUntil, until);
  }

  /**
   * Deletes the series of unanswered probes of a server, without a verdict about the server. Call this method if the
   * server was removed, or has sent a reply without a status.
   */
  forget(key: string): void {
    const run = this.#silence.run(key);
    if (run) this.#silence.end(run);
    this.#away.remove(key);
  }

  /**
   * Deletes the series of unanswered probes of a server that has been offline for a long time, which saves 90 % of the
   * memory. The server is still probed immediately if another server of its host answers again.
   */
  setAway(key: string): void {
    this.forget(key);
    this.#away.add(key);
  }

  /**
   * Call this method if an offline server answers. If its host has sent no other answer in the last seconds, returns
   * the keys of the other servers of the host that have been offline for a long time.
   */
  #othersAway({ key, address }: ServerRecord, now: number): readonly string[] {
    this.#away.remove(key);
    const { host } = networkKeysOf(address);
    return this.#losses.quietMs(host, now) >= MUTE_MS ? this.#away.atHost(host) : NOBODY;
  }

  /** Returns the current series (run) of unanswered probes of a server; undefined if there is none. */
  #runOf({ key, lastProbeAt, lastOnlineAt }: ServerRecord): Run | undefined {
    // If `lastProbeAt` equals `lastOnlineAt`, the server answered its last probe. Such a server has no series of
    // unanswered probes, so the series need not be looked up. This comparison is faster than the look-up.
    if (lastProbeAt === lastOnlineAt && lastProbeAt !== 0) return undefined;
    const run = this.#silence.run(key);
    if (!run || lastProbeAt !== 0) return run;
    // The server was removed and inserted again, and has not been probed since the insert. Therefore ends its series of
    // unanswered probes, which is from before the removal.
    this.#silence.end(run);
    return undefined;
  }

  /**
   * Returns the run (series of unanswered probes of one server) to which a new unanswered probe belongs. `from`: time
   * of this probe, ms. Begins a new run if there is none, or if the server was not probed for a long time.
   */
  #runWith(known: Run | undefined, server: ServerRecord, host: number, from: number): Run {
    if (known && (known.convicted || from - known.askedUntil <= UNASKED_MS)) return known;
    if (known) this.#silence.end(known);
    const { key, lastOnlineAt, intervalMs } = server;
    const wasUnasked = from - lastOnlineAt > MOST_INTERVALS * intervalMs + UNASKED_MS;
    return this.#silence.begin(key, host, {
      since: from,
      heldSince: wasUnasked ? from : lastOnlineAt,
      isKnown: lastOnlineAt !== 0,
    });
  }
}

/**
 * Returns two 32-bit numbers: one identifies the probed host, and the other identifies its network. `address`: the IP
 * address that was probed, if the record of the server contains a host name. Otherwise `address` is empty.
 */
function probedKeys(server: ServerRecord, address: string): NetworkKeys {
  return address === '' ? networkKeysOf(server.address) : networkKeysOfHost(address);
}

/**
 * Updates the state of the uplink (the prober's network connection) after a probe without a valid reply. Returns true
 * if the probe is evidence against the server. Returns false if the uplink seems to be down. `wasSilent`: true if the
 * previous probe of the server was unanswered too.
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
