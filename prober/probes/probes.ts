import { missingAccess } from '../../proto/game-access.ts';
import type { Answer, Failure } from '../answers/answer.ts';
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

/** Time for a whole probe once it is admitted, over all its ports, ms. */
const PROBE_MS = 13_000;
/** With less time left than this, ms, another port is not worth asking. */
const LEAST_MS = 500;
const NO_OPTIONS: ReadonlyMap<string, string> = new Map();
const MAX_STREAM_BYTES = 256 * 1024 + 16;
/** Enough for a million servers a minute that each take a question, a challenge and a question for players. */
const PACKETS_IN_ALL = 50_000;

type OnlineAnswer = Extract<Answer, { kind: 'online' }>;

/** A probe under way, over all the ports of its server. */
interface RunningProbe {
  readonly target: ProbeTarget;
  /** The ports to ask, in order. */
  readonly ports: readonly number[];
  /** True if a directory is asked after all ports failed. */
  readonly isListed: boolean;
  readonly admitted: AdmittedProbe;
  readonly nonce: bigint;
  /** The time after which no further port is asked, ms. */
  readonly endsAt: number;
  readonly ended: (result: ProbeResult) => void;
  /** Index of the port that is being asked. */
  index: number;
  /** The most telling failure among the ports asked so far. */
  worst: Failure | undefined;
}

/** The outcome if credentials or an option are missing; nothing is sent. */
const MISSING = {
  credentials: 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  option: 'PROBE_OUTCOME_NEEDS_OPTION',
} as const;

/** Asks game servers, each by the protocol of its game, within the politeness limits. */
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

  /** Opens the sockets. Rejects if no UDP socket can be opened. */
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

  /** Number of datagrams and ICMP messages that belonged to no query. */
  get strayDatagrams(): number {
    return this.#udp.strayDatagrams;
  }

  /** Smallest receive buffer that the kernel granted to a UDP socket, bytes. */
  get receiveBuffer(): number {
    return this.#udp.receiveBuffer;
  }

  /** Number of packets sent. Each TCP connection counts as one, each gamedig query as three. */
  get packetsSent(): number {
    return this.#politeness.packetsSent;
  }

  /** Number of IP addresses whose rate limits are tracked. */
  get addresses(): number {
    return this.#politeness.addresses;
  }

  /** The game directories that are asked about servers. */
  get directories(): Pick<Directories, 'requests' | 'pauses'> {
    return this.#directories;
  }

  /** Takes at most about 20 seconds, and 45 more if a directory is asked. Never rejects. */
  probe(target: ProbeTarget): Promise<ProbeResult> {
    return new Promise(resolve => this.begin(target, resolve));
  }

  /**
   * Probes without promises, which cost four for each probe. Calls `ended` once, possibly before it returns.
   */
  begin(target: ProbeTarget, ended: (result: ProbeResult) => void): void {
    const missing = missingAccess(target.protocol, target.secret ?? '', target.options);
    if (missing) {
      const { need, what } = missing;
      const outcome = MISSING[need];
      ended({ outcome, detail: `cannot be asked without ${what}`, signals: signalsOf(target, undefined) });
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
   * Asks the directory. Nothing is sent to the server meanwhile, so its address needs no room. `signals` and
   * `worst` come from the ports asked before.
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

  /** Asks the next port. After the last one, asks the directory if there is one. */
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

  /** Releases the address before the look-up, which may take longer than other probes there should wait. */
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
    if (answer.kind === 'online') this.#succeed(probe, query.colours, answer);
    else {
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
      // One literal: spreading a finding and adding to it took 2 µs more for each report.
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

  /** Ends every probe as a fault of ours, then closes sockets and threads. */
  async close(): Promise<void> {
    this.#tcp.close();
    this.#politeness.close();
    await Promise.all([this.#udp.close(), this.#gamedig.close(), this.#directories.close()]);
    this.#stopWheel();
  }
}
