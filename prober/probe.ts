import type { TargetPolicy } from '../net/targets.ts';
import { missingAccess } from '../proto/game-access.ts';
import { ChallengeMemory } from './challenge-memory.ts';
import { Directories, type DirectoriesOptions } from './directories/directories.ts';
import { directoryOf } from './directories/registry.ts';
import { userAgent } from './directories/user-agent.ts';
import { type FailedFinding, moreTelling, reportedFailure } from './failures.ts';
import { gamedigAccess } from './gamedig/access.ts';
import { GamedigPool } from './gamedig/gamedig-pool.ts';
import { KnownVersions } from './known-versions.ts';
import { normalise } from './normalise.ts';
import { type Budgets, MANNERS } from './politeness/budgets.ts';
import { Manners } from './politeness/manners.ts';
import type { HeldBack } from './politeness/turns.ts';
import type { Visit } from './politeness/visit.ts';
import type { ColourCodes, DatagramExchange, ExchangeContext, StreamProtocol } from './protocols/protocol.ts';
import { protocols } from './protocols/registry.ts';
import type { NormalisedPayload } from './status-fields.generated.ts';
import { type Answer, type Endpoint, type Failure, NO_ROOM } from './transport/answer.ts';
import type { BindSocket } from './transport/datagram-socket.ts';
import { Nonces } from './transport/nonces.ts';
import { noteLoss, TcpDialer } from './transport/tcp-dialer.ts';
import { TimerWheel } from './transport/timer-wheel.ts';
import { type Asker, UdpPool } from './transport/udp-pool.ts';

const UDP_MS = 2000;
const TCP_MS = 5000;
const GAMEDIG_MS = 5000;
/** The whole of a probe once it is let in, over all its ports. */
const PROBE_MS = 13_000;
/** Less than this left is not worth a question. */
const LEAST_MS = 500;
const NO_OPTIONS: ReadonlyMap<string, string> = new Map();
const MAX_STREAM_BYTES = 256 * 1024 + 16;
/** gamedig does not say what it sends; most of its protocols ask this often. */
const GAMEDIG_PACKETS = 3;
/** Enough for a million servers a minute that each take a question, a challenge and a question for players. */
const PACKETS_IN_ALL = 50_000;

/** A server to ask, its name resolved and its address vetted by the caller. */
export interface ProbeTarget {
  /** An IPv4 or IPv6 literal as the kernel writes it, without brackets: nothing here resolves names. */
  address: string;
  /** The server as it was named: told to Minecraft servers, and where players connect. */
  host: string;
  /** Asked in this order until one answers. */
  ports: readonly number[];
  /** The port players join at, unless the server names another. */
  joinPort: number;
  /** As the catalog names it. */
  protocol: string;
  /** What gamedig calls the game; used where the protocol has no module here. */
  gamedigId: string;
  /** Whether it is on a network of the operator's own, where only what is sent in all is bounded. */
  own?: boolean;
  /** At which addresses a directory may be that knows the server; without it, at public addresses alone. */
  policy?: TargetPolicy;
  /** The last probe failed: ask from another socket than usual. */
  confirm: boolean;
  /** How long to wait for each reply over UDP, in ms; 0: two seconds. */
  timeoutMs?: number;
  /** Its status must be settled soon: it asks before others at its address. */
  urgent?: boolean;
  /** A password, key or token of the server; empty or absent if it has none. */
  secret?: string | undefined;
  /** What the operator told about the server beside its address. */
  options?: ReadonlyMap<string, string> | undefined;
}

/** How the network treated one probe: `ProbeSignals`. */
export interface Signals {
  packetsSent: number;
  packetsLost: number;
  packetsRejected: number;
  challenged: boolean;
  /** The IP address that was asked, where the server is named by a host; empty otherwise. */
  address: string;
}

/** How a probe ended; the outcomes are those of `ProbeOutcome` that asking can lead to. */
export type ProbeResult = { signals: Signals } & (
  | Finding
  /** Nothing was sent; ask again so much later. */
  | { outcome: 'PROBE_OUTCOME_HELD_BACK'; detail: string; retryAfterMs: number }
);

/** What asking found. */
type Finding =
  | { outcome: 'PROBE_OUTCOME_ONLINE'; payload: NormalisedPayload; queryPort: number }
  | FailedFinding;

export interface ProbesOptions {
  /** UDP sockets of each family. */
  udpSockets?: number;
  /** Receive buffer of each UDP socket, bytes. */
  receiveBuffer?: number;
  /** TCP connections open at once. */
  tcpConnections?: number;
  /** gamedig worker threads. */
  gamedigWorkers?: number;
  /** How directories are asked, where that differs from what it is for any operator. */
  directories?: Partial<Omit<DirectoriesOptions, 'wheel' | 'warn'>>;
  /** Where they differ from good manners, for networks of one's own. */
  budgets?: Partial<Budgets>;
  /** Told what an operator should know. */
  warn: (message: string) => void;
  /** Time, monotonic. One handed in is driven and stopped by its owner. */
  wheel?: TimerWheel;
  /** Binds each UDP socket; without it they are the system's. */
  bind?: BindSocket;
}

/** How to ask one port. */
interface Way {
  colours: ColourCodes;
  attemptMs: number;
  asker: Asker;
  /** Over UDP. */
  exchange?: DatagramExchange;
  /** Told how asking ended; absent if nobody wants to know. */
  learn?: (answer: Answer) => void;
}

type OnlineAnswer = Extract<Answer, { kind: 'online' }>;

/** A server that is being asked. */
interface Inquiry {
  readonly target: ProbeTarget;
  /** Those to ask, in order. */
  readonly ports: readonly number[];
  /** Whether it is looked up in a directory when no port has answered. */
  readonly isListed: boolean;
  readonly visit: Visit;
  readonly nonce: bigint;
  /** When there is no time for another port. */
  readonly endsAt: number;
  readonly ended: (result: ProbeResult) => void;
  /** Of the port that is asked. */
  index: number;
  /** Of the answers of its ports so far. */
  worst: Failure | undefined;
}

/** The outcome if a server cannot be asked for want of something; nothing is sent. */
const MISSING = {
  credentials: 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  option: 'PROBE_OUTCOME_NEEDS_OPTION',
} as const;

/** Asks game servers, each by the protocol its game speaks, no more than manners allow. */
export class Probes {
  readonly #wheel: TimerWheel;
  readonly #stopWheel: () => void;
  readonly #udp: UdpPool;
  readonly #tcp: TcpDialer;
  readonly #gamedig: GamedigPool;
  readonly #directories: Directories;
  readonly #manners: Manners;
  readonly #nonces = new Nonces();
  readonly #versions: KnownVersions;
  readonly #challenges = new ChallengeMemory();

  private constructor(udp: UdpPool, wheel: TimerWheel, options: ProbesOptions) {
    this.#wheel = wheel;
    this.#versions = new KnownVersions(() => wheel.now());
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
    this.#directories = new Directories({
      userAgent: userAgent(undefined),
      optIn: [],
      dnsServers: [],
      ...options.directories,
      wheel,
      warn: options.warn,
    });
    this.#manners = new Manners({ ...MANNERS, packetsInAll: PACKETS_IN_ALL, ...options.budgets }, wheel);
  }

  /** Opens the sockets. Rejects when there is no UDP socket to be had. */
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

  /** Datagrams and ICMP messages nobody waited for. */
  get strayDatagrams(): number {
    return this.#udp.strayDatagrams;
  }

  /** What the kernel holds for a UDP socket at least, bytes. */
  get receiveBuffer(): number {
    return this.#udp.receiveBuffer;
  }

  /** Packets sent, TCP connections and what gamedig is taken to send among them. */
  get packetsSent(): number {
    return this.#manners.packetsSent;
  }

  /** IP addresses whose budgets are kept. */
  get addresses(): number {
    return this.#manners.addresses;
  }

  /** The directories of games whose servers are looked up. */
  get directories(): Pick<Directories, 'requests' | 'pauses'> {
    return this.#directories;
  }

  /** Takes at most about 20 seconds, and 45 more where a directory is asked. Never rejects. */
  probe(target: ProbeTarget): Promise<ProbeResult> {
    return new Promise(resolve => this.begin(target, resolve));
  }

  /** The same without promises, of which there were four for each probe: `ended` is called once, maybe at once. */
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
    const entered = this.#manners.enter(target);
    if (entered instanceof Promise) entered.then(visit => this.#enter(target, listing, visit, ended));
    else this.#enter(target, listing, entered, ended);
  }

  /**
   * Asks the directory. Nothing goes to the server meanwhile, so its address has no part in it; `signals` and `worst` are
   * of its ports, asked before.
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
    visit: Visit | HeldBack,
    ended: (result: ProbeResult) => void,
  ): void {
    if ('retryAfterMs' in visit) {
      const detail = `as much as may goes to ${target.address} or its network already`;
      const signals = signalsOf(target, undefined);
      ended({ outcome: 'PROBE_OUTCOME_HELD_BACK', detail, retryAfterMs: visit.retryAfterMs, signals });
      return;
    }
    const nonce = this.#nonces.next();
    const endsAt = visit.since + PROBE_MS;
    const ports = listing?.asked ?? target.ports;
    const isListed = listing !== undefined;
    const inquiry = { target, ports, isListed, visit, nonce, endsAt, ended, index: 0, worst: undefined };
    this.#askPort(inquiry, visit.since);
  }

  /** Asks the port whose turn it is, and those behind it until one answers, and then the directory if there is one. */
  #askPort(inquiry: Inquiry, now: number): void {
    const { target, ports, endsAt, nonce, visit, index } = inquiry;
    const port = ports[index];
    if (port === undefined || endsAt - now < LEAST_MS) {
      if (inquiry.isListed) this.#leaveForDirectory(inquiry);
      else this.#fail(inquiry, inquiry.worst ?? { kind: 'fault', detail: 'no port to ask' });
      return;
    }
    try {
      this.#ask(inquiry, this.#wayTo(target, port, nonce, visit), now);
    } catch (error) {
      this.#fail(inquiry, faultOf(error));
    }
  }

  /** Others may be asked at the address during the look-up, which may take longer than any of them. */
  #leaveForDirectory({ target, visit, worst, ended }: Inquiry): void {
    const signals = this.#leave(target, visit);
    this.#lookUp(target, target.joinPort, signals, worst).then(ended);
  }

  #ask(inquiry: Inquiry, way: Way, now: number): void {
    const timeoutMs = Math.min(way.attemptMs, inquiry.endsAt - now);
    way.asker.ask(timeoutMs, answer => this.#answered(inquiry, way, answer));
  }

  #answered(inquiry: Inquiry, way: Way, answer: Answer): void {
    if (way.exchange && inquiry.target.confirm) this.#remember(inquiry, way.exchange, answer);
    way.learn?.(answer);
    if (answer.kind === 'online') this.#succeed(inquiry, way.colours, answer);
    else {
      inquiry.worst = moreTelling(inquiry.worst, answer);
      inquiry.index++;
      this.#askPort(inquiry, this.#wheel.now());
    }
  }

  /** Keeps the challenge of a server that loses packets. */
  #remember({ ports, visit, index }: Inquiry, exchange: DatagramExchange, answer: Answer): void {
    const { challenge, challenged } = exchange;
    const port = ports[index] ?? 0;
    const key = visit.host.address;
    if (challenge === undefined) return;
    if (answer.kind === 'online' || challenged)
      this.#challenges.keep(key, port, challenge, this.#wheel.now());
    else if (answer.kind === 'silent') this.#challenges.failed(key, port);
  }

  #succeed(inquiry: Inquiry, colours: ColourCodes, answer: OnlineAnswer): void {
    const { target, ports, visit, index, ended } = inquiry;
    const signals = this.#leave(target, visit);
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
      // One literal: to spread a finding and add to it took 2 µs more, the report's encoding included.
      return { outcome: 'PROBE_OUTCOME_ONLINE', payload, queryPort, signals };
    } catch (error) {
      return { ...reportedFailure(faultOf(error), secret), signals };
    }
  }

  #fail({ target, visit, ended }: Inquiry, failure: Failure): void {
    const signals = this.#leave(target, visit);
    ended({ ...reportedFailure(failure, target.secret), signals });
  }

  #leave(target: ProbeTarget, visit: Visit): Signals {
    this.#manners.leave(visit);
    return signalsOf(target, visit);
  }

  /** Ends every probe as a fault of ours, then frees sockets and threads. */
  async close(): Promise<void> {
    this.#tcp.close();
    this.#manners.close();
    await Promise.all([this.#udp.close(), this.#gamedig.close(), this.#directories.close()]);
    this.#stopWheel();
  }

  #wayTo(target: ProbeTarget, port: number, nonce: bigint, visit: Visit): Way {
    const { address, host, joinPort, secret, options } = target;
    const endpoint = { address, key: visit.host.address, port };
    const protocol = protocols.get(target.protocol);
    if (!protocol) return this.#wayByGamedig(target, endpoint, visit);
    const { key } = endpoint;
    const challenge = target.confirm ? this.#challenges.find(key, port, this.#wheel.now()) : undefined;
    const context: ExchangeContext = { host, address, port, joinPort, nonce, challenge, secret, options };
    if (protocol.transport === 'tcp') return this.#wayByTcp(protocol, endpoint, context, visit);
    const learn = protocol.versionInRules && this.#recallVersion(context);
    const exchange = protocol.open(context);
    const asker = this.#udp.converse(endpoint, exchange, visit, target.confirm);
    const way: Way = { colours: protocol.colours, attemptMs: target.timeoutMs || UDP_MS, asker, exchange };
    return learn ? { ...way, learn } : way;
  }

  /** Tells an exchange the version that is known of the server; what keeps the one that it finds. */
  #recallVersion(context: ExchangeContext): (answer: Answer) => void {
    const { address, port } = context;
    context.knownVersion = this.#versions.find(address, port);
    return answer => {
      if (answer.kind === 'online') this.#versions.learn(address, port, answer.status.version ?? '');
    };
  }

  #wayByTcp(protocol: StreamProtocol, endpoint: Endpoint, context: ExchangeContext, visit: Visit): Way {
    const talk = ({ open }: StreamProtocol, ms: number) => this.#tcp.ask(endpoint, open(context), visit, ms);
    const ask = async (ms: number): Promise<Answer> => {
      const answer = await talk(protocol, ms);
      if (!protocol.older || !endsWithoutSense(answer)) return answer;
      const older = await talk(protocol.older, ms);
      return older.kind === 'online' ? older : answer;
    };
    return { colours: protocol.colours, attemptMs: TCP_MS, asker: askerOf(ask) };
  }

  #wayByGamedig(target: ProbeTarget, endpoint: Endpoint, visit: Visit): Way {
    const ask = (ms: number) => this.#askGamedig(target, endpoint, visit, ms);
    return { colours: 'none', attemptMs: GAMEDIG_MS, asker: askerOf(ask) };
  }

  async #askGamedig(
    { protocol, gamedigId, secret = '', options = NO_OPTIONS }: ProbeTarget,
    endpoint: Endpoint,
    visit: Visit,
    timeoutMs: number,
  ): Promise<Answer> {
    for (let i = 0; i < GAMEDIG_PACKETS; i++) {
      if (!(await visit.room())) return NO_ROOM;
    }
    const access = gamedigAccess(protocol, { secret, options });
    const answer = await this.#gamedig.ask(gamedigId, endpoint, timeoutMs, access);
    // gamedig's packets share one fate, so they are one piece of evidence.
    noteLoss(visit, answer);
    return answer;
  }
}

/** How a server is found that its game's directory may know. */
interface Listing {
  /** The ports to ask before. */
  asked: readonly number[];
  /** What is reported as the port that answered, if the directory does. */
  queryPort: number;
}

/** Undefined if no directory knows the server. */
function listingOf({ protocol, ports, joinPort }: ProbeTarget): Listing | undefined {
  const known = protocols.get(protocol);
  if (!known) return directoryOf(protocol) && { asked: [], queryPort: 0 };
  if (known.transport === 'tcp' || !known.directory || !ports.includes(joinPort)) return undefined;
  return { asked: ports.filter(port => port !== joinPort), queryPort: joinPort };
}

/** Of what answers by a promise. A defect of ours must not pass for a server that is down. */
function askerOf(ask: (timeoutMs: number) => Promise<Answer>): Asker {
  return { ask: (timeoutMs, answered) => void ask(timeoutMs).catch(faultOf).then(answered) };
}

function faultOf(error: unknown): Failure {
  return { kind: 'fault', detail: error instanceof Error ? error.message : String(error) };
}

function signalsOf({ address, host }: ProbeTarget, visit: Visit | undefined): Signals {
  return {
    packetsSent: visit?.packets ?? 0,
    packetsLost: visit?.lost ?? 0,
    packetsRejected: visit?.rejected ?? 0,
    challenged: visit?.challenged ?? false,
    address: address === host ? '' : address,
  };
}

/** A connection that was made and answered otherwise than asked, or was cut. */
function endsWithoutSense(answer: Answer): boolean {
  return answer.kind === 'malformed' || (answer.kind === 'refused' && answer.detail === 'ECONNRESET');
}
