import type { Answer, Endpoint, Failure, OnlineAnswer } from '../answers/answer.ts';
import type { ColourCodes } from '../answers/raw-status.ts';
import { gamedigAccess } from '../gamedig/access.ts';
import type { GamedigPool } from '../gamedig/gamedig-pool.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { DatagramExchange, ExchangeContext, StreamProtocol } from '../protocols/protocol.ts';
import { protocols } from '../protocols/registry.ts';
import { noteLoss, type TcpDialer } from '../transport/tcp-dialer.ts';
import type { Asker, UdpPool } from '../transport/udp-pool.ts';
import { ChallengeMemory } from './challenge-memory.ts';
import { KnownVersions } from './known-versions.ts';
import { MuteFollowUps, StatusOnlyExchange } from './mute-follow-ups.ts';
import type { ProbeTarget } from './probe-target.ts';

/** Default of the longest time that a query waits for each reply over UDP, ms. A probe target can set another time. */
const UDP_MS = 2000;
/** Time limit of a whole query over TCP, ms. */
const TCP_MS = 5000;
/** Time limit of a whole query by the library gamedig, ms. */
const GAMEDIG_MS = 5000;
/**
 * Number of packets that the rate limiter counts for one gamedig query, because gamedig does not report the real
 * number. Most protocols of gamedig send at most this number. A TCP connection counts as one packet.
 */
const GAMEDIG_PACKETS = 3;
/** Numbers of packets of gamedig queries with other protocols, keyed by gamedig's name of the protocol. */
const MORE_GAMEDIG_PACKETS: ReadonlyMap<string, number> = new Map([['palworld', 4]]);
/** Protocols of gamedig whose texts contain colour codes, which gamedig does not remove. */
const GAMEDIG_COLOURS: ReadonlyMap<string, ColourCodes> = new Map([['fivem', 'caret']]);
const NO_OPTIONS: ReadonlyMap<string, string> = new Map();

/** A query to one port of a server, ready to be sent. */
export interface PortQuery {
  colours: ColourCodes;
  /** Time limit of the query, ms. Over UDP, it is the time limit for each reply. */
  attemptMs: number;
  asker: Asker;
  /**
   * Creates the UDP packets of the query, and reads the replies. It also contains the challenge (a number that the
   * query must repeat), if the prober knows one. Absent if the query uses TCP or gamedig.
   */
  exchange?: DatagramExchange;
  /** True if the query asks a server with players for their names. Absent if the query uses TCP or gamedig. */
  asksPlayers?: boolean;
  /**
   * Function that stores values from the answer of the server, such as the game version, for later queries. The
   * property is absent if there is nothing to store.
   */
  learn?: (answer: Answer) => void;
}

/** Prepares queries to ports of servers. The protocol of the game decides whether UDP, TCP or gamedig is used. */
export class PortQueries {
  readonly #udp: UdpPool;
  readonly #tcp: TcpDialer;
  readonly #gamedig: GamedigPool;
  readonly #now: () => number;
  readonly #versions: KnownVersions;
  readonly #challenges = new ChallengeMemory();
  readonly #muteFollowUps: MuteFollowUps;

  /** `now` returns the time of a monotonic clock, ms. */
  constructor(udp: UdpPool, tcp: TcpDialer, gamedig: GamedigPool, now: () => number) {
    this.#udp = udp;
    this.#tcp = tcp;
    this.#gamedig = gamedig;
    this.#now = now;
    this.#versions = new KnownVersions(now);
    this.#muteFollowUps = new MuteFollowUps(now);
  }

  /**
   * Updates the stored challenge of a server (a number that queries must contain) after a query. Call this method only
   * for queries of a probe that confirms a failure. Stores the challenge if the server has just sent it, or has
   * accepted it and answered. If the query contained a stored challenge and got no answer, counts a failure of the
   * challenge.
   */
  rememberChallenge(admitted: AdmittedProbe, port: number, exchange: DatagramExchange, answer: Answer): void {
    const { challenge, challenged } = exchange;
    const key = admitted.host.address;
    if (challenge === undefined) return;
    if (answer.kind === 'online' || challenged) this.#challenges.keep(key, port, challenge, this.#now());
    else if (answer.kind === 'silent') this.#challenges.failed(key, port);
  }

  /**
   * Remembers whether a server with players answers the follow-up request for their names. Call this method only if the
   * query was allowed to send this request (`PortQuery.asksPlayers`).
   */
  rememberFollowUp(admitted: AdmittedProbe, port: number, { status, isMute }: OnlineAnswer): void {
    const { address } = admitted.host;
    if (status.playerList) this.#muteFollowUps.forget(address, port);
    else if (isMute && status.players) this.#muteFollowUps.countUnanswered(address, port);
  }

  queryOf(target: ProbeTarget, port: number, nonce: bigint, admitted: AdmittedProbe): PortQuery {
    const { address, host, joinPort, secret, options } = target;
    const endpoint = { address, key: admitted.host.address, port };
    const protocol = protocols.get(target.protocol);
    if (!protocol) return this.#gamedigQuery(target, endpoint, admitted);
    const { key } = endpoint;
    const challenge = target.confirm ? this.#challenges.find(key, port, this.#now()) : undefined;
    const context: ExchangeContext = { host, address, port, joinPort, nonce, challenge, secret, options };
    if (protocol.transport === 'tcp') return this.#tcpQuery(protocol, endpoint, context, admitted);
    const learn = protocol.versionInRules && this.#recallVersion(context);
    const whole = protocol.open(context);
    // If the version of the server is not known, the follow-up request asks for the rules, which contain the version.
    const asksPlayers = !learn || context.knownVersion !== undefined;
    const isMute = asksPlayers && this.#muteFollowUps.isMute(key, port);
    const exchange = isMute ? new StatusOnlyExchange(whole) : whole;
    const asker = this.#udp.converse(endpoint, exchange, admitted, target.confirm);
    const query: PortQuery = {
      colours: protocol.colours,
      attemptMs: target.timeoutMs || UDP_MS,
      asker,
      exchange,
      asksPlayers,
    };
    return learn ? { ...query, learn } : query;
  }

  /**
   * Sets `context.knownVersion` to the game version that the server reported earlier. Returns a function that stores
   * the version of the new answer.
   */
  #recallVersion(context: ExchangeContext): (answer: Answer) => void {
    const { address, port } = context;
    context.knownVersion = this.#versions.find(address, port);
    return answer => {
      if (answer.kind === 'online') this.#versions.learn(address, port, answer.status.version ?? '');
    };
  }

  #tcpQuery(
    protocol: StreamProtocol,
    endpoint: Endpoint,
    context: ExchangeContext,
    admitted: AdmittedProbe,
  ): PortQuery {
    const talk = ({ open }: StreamProtocol, ms: number) =>
      this.#tcp.ask(endpoint, open(context), admitted, ms);
    const ask = async (ms: number): Promise<Answer> => {
      const answer = await talk(protocol, ms);
      if (!protocol.older || !endsWithoutSense(answer)) return answer;
      const older = await talk(protocol.older, ms);
      return older.kind === 'online' ? older : answer;
    };
    return { colours: protocol.colours, attemptMs: TCP_MS, asker: askerOf(ask) };
  }

  #gamedigQuery(target: ProbeTarget, endpoint: Endpoint, admitted: AdmittedProbe): PortQuery {
    const ask = (ms: number) => this.#askGamedig(target, endpoint, admitted, ms);
    const colours = GAMEDIG_COLOURS.get(target.protocol) ?? 'none';
    return { colours, attemptMs: GAMEDIG_MS, asker: askerOf(ask) };
  }

  async #askGamedig(
    { protocol, gamedigId, secret = '', options = NO_OPTIONS }: ProbeTarget,
    endpoint: Endpoint,
    admitted: AdmittedProbe,
    timeoutMs: number,
  ): Promise<Answer> {
    const access = gamedigAccess(protocol, { secret, options });
    const mayStart = async (): Promise<boolean> => {
      const packets = MORE_GAMEDIG_PACKETS.get(protocol) ?? GAMEDIG_PACKETS;
      for (let i = 0; i < packets; i++) if (!(await admitted.waitForPacket())) return false;
      return true;
    };
    const answer = await this.#gamedig.ask(gamedigId, endpoint, timeoutMs, access, mayStart);
    // Counts at most one lost packet per gamedig query, because gamedig does not report how many of its packets were
    // lost.
    noteLoss(admitted, answer);
    return answer;
  }
}

/**
 * Converts the async query function `ask` into an `Asker`, which passes the answer to a callback. `ask` rejects only if
 * gsq has a bug. The answer is then a failure of kind `fault`.
 */
function askerOf(ask: (timeoutMs: number) => Promise<Answer>): Asker {
  return { ask: (timeoutMs, answered) => void ask(timeoutMs).catch(faultOf).then(answered) };
}

/**
 * Converts an error inside the prober into a failure of kind `fault`. Such a failure does not count against the server.
 */
export function faultOf(error: unknown): Failure {
  return { kind: 'fault', detail: error instanceof Error ? error.message : String(error) };
}

/** True if the TCP connection was established, but the server then sent garbage or reset the connection. */
function endsWithoutSense(answer: Answer): boolean {
  return answer.kind === 'malformed' || (answer.kind === 'refused' && answer.detail === 'ECONNRESET');
}
