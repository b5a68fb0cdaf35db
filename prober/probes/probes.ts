import { missingAccess } from '../../proto/game-access.ts';
import type { Answer, Failure, OnlineAnswer } from '../answers/answer.ts';
import { normalise } from '../answers/normalise.ts';
import type { ColourCodes } from '../answers/raw-status.ts';
import { moreTelling, reportedFailure } from '../answers/reported-failure.ts';
import { Directories } from '../directories/directories.ts';
import { userAgent } from '../directories/user-agent.ts';
import { GamedigPool } from '../gamedig/gamedig-pool.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import { Politeness } from '../politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS } from '../politeness/rate-limits.ts';
import type { HeldBack } from '../politeness/reservations.ts';
import { TimerWheel } from '../timing/timer-wheel.ts';
import { Nonces } from '../transport/nonces.ts';
import { TcpDialer } from '../transport/tcp-dialer.ts';
import { UdpPool } from '../transport/udp-pool.ts';
import { type Listing, listingOf } from './listing.ts';
import { faultOf, PortQueries, type PortQuery } from './port-queries.ts';
import { type ProbeResult, type Signals, signalsOf } from './probe-result.ts';
import type { ProbeTarget } from './probe-target.ts';
import type { ProbesOptions } from './probes-options.ts';

/** Longest time for the queries to all ports of a server, ms. It starts when the rate limiter admits the probe. */
const PROBE_MS = 13_000;
/** Minimum time for a query to a port, ms. If less time remains for the probe, the next port is not queried. */
const LEAST_MS = 500;
const NO_OPTIONS: ReadonlyMap<string, string> = new Map();
const MAX_STREAM_BYTES = 256 * 1024 + 16;
/**
 * Default of the packet limit of a prober, packets per second. It is sufficient for a million servers a minute with
 * three packets each: a query, the same query with its challenge, and a query for the players.
 */
const PACKETS_IN_ALL = 50_000;

/** State of a running probe, which queries the ports of a server one after another. */
interface RunningProbe {
  readonly target: ProbeTarget;
  /** Ports of the server to query, in this order. */
  readonly ports: readonly number[];
  /** True if gsq looks up the server in the public server list of its game after all ports failed. */
  readonly isListed: boolean;
  readonly admitted: AdmittedProbe;
  readonly nonce: bigint;
  /** Deadline of the queries to all ports of the server, ms. */
  readonly endsAt: number;
  readonly ended: (result: ProbeResult) => void;
  /** Index in `ports` of the port that is queried now. */
  index: number;
  /** The failure with the highest priority among all ports that were queried so far (see `moreTelling`). */
  worst: Failure | undefined;
}

/** Outcomes of a probe that does not start, because the server needs credentials or an option that is not set. */
const MISSING = {
  credentials: 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  option: 'PROBE_OUTCOME_NEEDS_OPTION',
} as const;

/** Probes game servers, each with the protocol of its game. Respects the rate limits. */
export class Probes {
  readonly #wheel: TimerWheel;
  readonly #stopWheel: () => void;
  readonly #udp: UdpPool;
  readonly #tcp: TcpDialer;
  readonly #gamedig: GamedigPool;
  readonly #directories: Directories;
  readonly #politeness: Politeness;
  readonly #nonces = new Nonces();
  readonly #queries: PortQueries;

  private constructor(udp: UdpPool, wheel: TimerWheel, options: ProbesOptions) {
    this.#wheel = wheel;
    this.#stopWheel = options.wheel ? () => {} : () => wheel.stop();
    this.#udp = udp;
    this.#tcp = new TcpDialer({
      connections: options.tcpConnections ?? 128,
      maxBytes: MAX_STREAM_BYTES,
      wheel,
    });
    this.#gamedig = new GamedigPool({
      wheel,
      workers: options.gamedigWorkers ?? 1,
      warn: options.warn,
    });
    this.#queries = new PortQueries(udp, this.#tcp, this.#gamedig, () => wheel.now());
    this.#directories = new Directories({
      userAgent: userAgent(undefined),
      optIn: [],
      dnsServers: [],
      ...options.directories,
      wheel,
      warn: options.warn,
    });
    this.#politeness = new Politeness(
      { ...DEFAULT_RATE_LIMITS, packetsInAll: PACKETS_IN_ALL, ...options.rateLimits },
      wheel,
    );
  }

  /** Opens the UDP sockets. Rejects if no IPv4 socket can be opened. */
  static async open(options: ProbesOptions): Promise<Probes> {
    const wheel = options.wheel ?? new TimerWheel();
    const udp = await UdpPool.open({
      sockets: options.udpSockets ?? 4,
      receiveBuffer: options.receiveBuffer ?? 4 * 1024 * 1024,
      wheel,
      warn: options.warn,
      ...(options.bind && { bind: options.bind }),
    });
    if (!options.wheel) wheel.start();
    return new Probes(udp, wheel, options);
  }

  /** Number of received datagrams and ICMP messages that belonged to no open query. */
  get strayDatagrams(): number {
    return this.#udp.strayDatagrams;
  }

  /** Smallest receive buffer that the kernel granted to a UDP socket, bytes. */
  get receiveBuffer(): number {
    return this.#udp.receiveBuffer;
  }

  /** Number of packets sent. A TCP connection counts as one packet, a query by the library gamedig as three. */
  get packetsSent(): number {
    return this.#politeness.packetsSent;
  }

  /** Number of IP addresses whose rate limits are tracked. */
  get addresses(): number {
    return this.#politeness.addresses;
  }

  /** For the metrics: the number of requests to public server lists, and the lists that currently get no requests. */
  get directories(): Pick<Directories, 'requests' | 'pauses'> {
    return this.#directories;
  }

  /**
   * Probes a server. Takes at most about 20 seconds. If the server is also looked up in the public server list of its
   * game, takes at most 45 seconds more. Never rejects.
   */
  probe(target: ProbeTarget): Promise<ProbeResult> {
    return new Promise(resolve => this.begin(target, resolve));
  }

  /**
   * Probes a server with callbacks, because a version with promises would create four promises per probe. Calls `ended`
   * exactly once with the result, possibly before this method returns.
   */
  begin(target: ProbeTarget, ended: (result: ProbeResult) => void): void {
    const missing = missingAccess(target.protocol, target.secret ?? '', target.options);
    if (missing) {
      const { need, what } = missing;
      const outcome = MISSING[need];
      ended({ outcome, detail: `cannot be queried without ${what}`, signals: signalsOf(target, undefined) });
      return;
    }
    const listing = listingOf(target);
    if (listing && listing.asked.length === 0) {
      this.#lookUp(target, listing.queryPort, signalsOf(target, undefined), undefined).then(ended);
      return;
    }
    const entered = this.#politeness.admit(target);
    if (entered instanceof Promise) entered.then(admitted => this.#enter(target, listing, admitted, ended));
    else this.#enter(target, listing, entered, ended);
  }

  /**
   * Looks up a server in the public server list of its game. `signals`: packet counts of the probe so far. `worst`: the
   * most important failure of the direct queries, if any.
   */
  async #lookUp(
    target: ProbeTarget,
    queryPort: number,
    signals: Signals,
    worst: Failure | undefined,
  ): Promise<ProbeResult> {
    const { protocol, host, address, ports, policy, secret = '', options = NO_OPTIONS } = target;
    const answer = await this.#directories
      .ask({ protocol, host, address, ports, secret, options }, policy)
      .catch(faultOf);
    if (answer.kind !== 'online')
      return { ...reportedFailure(moreTelling(worst, answer), target.secret), signals };
    return this.#found(target, 'none', answer, queryPort, signals);
  }

  #enter(
    target: ProbeTarget,
    listing: Listing | undefined,
    admitted: AdmittedProbe | HeldBack,
    ended: (result: ProbeResult) => void,
  ): void {
    if ('retryAfterMs' in admitted) {
      const detail = `as much as may goes to ${target.address} or its network already`;
      const signals = signalsOf(target, undefined);
      ended({ outcome: 'PROBE_OUTCOME_HELD_BACK', detail, retryAfterMs: admitted.retryAfterMs, signals });
      return;
    }
    const nonce = this.#nonces.next();
    const endsAt = admitted.since + PROBE_MS;
    const ports = listing?.asked ?? target.ports;
    const isListed = listing !== undefined;
    const probe = { target, ports, isListed, admitted, nonce, endsAt, ended, index: 0, worst: undefined };
    this.#askPort(probe, admitted.since);
  }

  /**
   * Queries the next port of the server. If no port is left or the remaining time is too short, looks up the server in
   * the public server list of its game. If there is no such list, the probe fails.
   */
  #askPort(probe: RunningProbe, now: number): void {
    const { target, ports, endsAt, nonce, admitted, index } = probe;
    const port = ports[index];
    if (port === undefined || endsAt - now < LEAST_MS) {
      if (probe.isListed) this.#leaveForDirectory(probe);
      else this.#fail(probe, probe.worst ?? { kind: 'fault', detail: 'no port to ask' });
      return;
    }
    try {
      this.#ask(probe, this.#queries.queryOf(target, port, nonce, admitted), now);
    } catch (error) {
      this.#fail(probe, faultOf(error));
    }
  }

  /**
   * Ends the direct queries, because no port of the server answered in time. Looks up the server in the public server
   * list of its game instead.
   */
  #leaveForDirectory({ target, admitted, worst, ended }: RunningProbe): void {
    const signals = this.#leave(target, admitted);
    this.#lookUp(target, target.joinPort, signals, worst).then(ended);
  }

  #ask(probe: RunningProbe, query: PortQuery, now: number): void {
    const timeoutMs = Math.min(query.attemptMs, probe.endsAt - now);
    query.asker.ask(timeoutMs, answer => this.#answered(probe, query, answer));
  }

  #answered(probe: RunningProbe, query: PortQuery, answer: Answer): void {
    const { target, ports, admitted, index } = probe;
    if (query.exchange && target.confirm)
      this.#queries.rememberChallenge(admitted, ports[index] ?? 0, query.exchange, answer);
    query.learn?.(answer);
    if (answer.kind === 'online') {
      if (query.asksPlayers) this.#queries.rememberFollowUp(admitted, ports[index] ?? 0, answer);
      this.#succeed(probe, query.colours, answer);
    } else {
      probe.worst = moreTelling(probe.worst, answer);
      probe.index++;
      this.#askPort(probe, this.#wheel.now());
    }
  }

  #succeed(probe: RunningProbe, colours: ColourCodes, answer: OnlineAnswer): void {
    const { target, ports, admitted, index, ended } = probe;
    const signals = this.#leave(target, admitted);
    ended(this.#found(target, colours, answer, ports[index] ?? 0, signals));
  }

  #found(
    { host, joinPort, secret }: ProbeTarget,
    colours: ColourCodes,
    answer: OnlineAnswer,
    queryPort: number,
    signals: Signals,
  ): ProbeResult {
    const { status, ping } = answer;
    try {
      const payload = normalise(status, { host, joinPort, colours, ping });
      // Lists all properties of the probe result in one object literal. Spreading another object into the literal takes
      // 2 µs more per probe result.
      return { outcome: 'PROBE_OUTCOME_ONLINE', payload, queryPort, signals };
    } catch (error) {
      return { ...reportedFailure(faultOf(error), secret), signals };
    }
  }

  #fail({ target, admitted, ended }: RunningProbe, failure: Failure): void {
    const signals = this.#leave(target, admitted);
    ended({ ...reportedFailure(failure, target.secret), signals });
  }

  #leave(target: ProbeTarget, admitted: AdmittedProbe): Signals {
    this.#politeness.release(admitted);
    return signalsOf(target, admitted);
  }

  /**
   * Closes sockets and threads. Every open probe ends with a failure of kind `fault`, which does not count against the
   * server.
   */
  async close(): Promise<void> {
    this.#tcp.close();
    this.#politeness.close();
    await Promise.all([this.#udp.close(), this.#gamedig.close(), this.#directories.close()]);
    this.#stopWheel();
  }
}
