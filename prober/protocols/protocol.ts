import type { Unknowable } from '../answers/answer.ts';
import type { ColourCodes, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';

/**
 * The next step of a query: wait for more data, send packets, or end with a result. The parser of a protocol returns a
 * step after each received packet.
 */
export type Step =
  /** gsq waits for more data, because the reply is incomplete or belongs to another query. */
  | { kind: 'more' }
  | { kind: 'send'; packets: Buffer[] }
  | { kind: 'done'; status: RawStatus }
  | { kind: 'malformed'; reason: string }
  /**
   * The server runs but does not report its status, for example because credentials are missing or gsq queried it too
   * often.
   */
  | { kind: 'unknowable'; answer: Unknowable };

/** The step that a query returns while a reply is incomplete: the query waits for more data. */
export const MORE: Step = { kind: 'more' };

/** Data about a game server that gsq needs to query it. */
export interface ExchangeContext {
  /** The host as the caller wrote it (a name or an address). Some protocols send it to the server. */
  host: string;
  /** The IP address that receives the query. */
  address: string;
  port: number;
  /** The port at which players join the server. It can differ from the queried port. */
  joinPort: number;
  /** An unpredictable random number for one query. In many protocols, the server repeats this number in its reply. */
  nonce: bigint;
  /**
   * The last challenge that the server sent in an earlier query. A challenge is a token that a query must repeat. The
   * server can reject an old challenge.
   */
  challenge?: number | undefined;
  /**
   * Game version that the server reported in an earlier query. Empty if the server reported no version. Absent if gsq
   * does not remember an earlier query.
   */
  knownVersion?: string | undefined;
  /** The secret for the query: a password, key or token of the server. Empty or absent if none is configured. */
  secret?: string | undefined;
  /** Options that the operator of gsq set for this server. */
  options?: ReadonlyMap<string, string> | undefined;
}

/**
 * One query to a server over UDP (datagrams). It only creates packets and parses replies; its caller owns the sockets
 * and timers. Its methods never throw.
 */
export interface DatagramExchange {
  /** Returns the first packets of the query. Called once for each query. */
  request(): Buffer[];
  receive(datagram: Buffer): Step;
  /**
   * Called if no more replies arrive. Returns the status if the replies received so far are enough for it. If not,
   * returns undefined.
   */
  partial(): RawStatus | undefined;
  /** True if the server has sent a challenge, which the query must repeat. Absent if the protocol has no challenges. */
  readonly challenged?: boolean;
  /** Challenge to send in the first packet of the next query to this server. Absent if no challenge is known. */
  readonly challenge?: number | undefined;
}

/**
 * One query to a server over TCP (byte stream). It only creates requests and parses replies; its caller owns the
 * sockets and timers. Its methods never throw. It buffers no more bytes than its protocol allows in a reply.
 */
export interface StreamExchange {
  /** Returns the bytes to send as soon as the connection is open. */
  request(): Buffer[];
  receive(chunk: Buffer): Step;
  /**
   * Called if the stream ends or no more bytes arrive. Returns the status if the bytes received so far are enough for
   * it. If not, returns undefined.
   */
  partial(): RawStatus | undefined;
}

/** A query protocol over UDP. */
export interface DatagramProtocol {
  transport: 'udp';
  colours: ColourCodes;
  open(context: ExchangeContext): DatagramExchange;
  /**
   * True if the game version is known only after an extra request. Later queries skip this request, because they know
   * the version from an earlier query (`knownVersion`).
   */
  versionInRules?: boolean;
  /**
   * True for a game whose servers answer no queries at the join port. gsq does not query this port, but looks up the
   * server in the public server list of the game.
   */
  directory?: boolean;
}

/** A query protocol over TCP. */
export interface StreamProtocol {
  transport: 'tcp';
  colours: ColourCodes;
  open(context: ExchangeContext): StreamExchange;
  /**
   * The protocol of servers with an older version of the game. If a query in the newer protocol gets an invalid reply
   * or a reset, gsq tries the older protocol on a new connection.
   */
  older?: StreamProtocol;
}

/** A query protocol over UDP or TCP. */
export type Protocol = DatagramProtocol | StreamProtocol;

/** Thrown by a parser if a reply violates its protocol. The function `strictly` catches this error. */
export class MalformedReply extends Error {}

/**
 * Thrown by a parser if a packet ends within a field. The parsers of some protocols catch this error while they read a
 * player list, because real servers truncate the list.
 */
export class TruncatedReply extends MalformedReply {}

/**
 * Calls `parse` to read a reply, and returns the next step of the query. If `parse` throws MalformedReply or
 * UnknowableError, returns a step of the kind `malformed` or `unknowable`. Rethrows any other error, because it is a
 * bug in gsq.
 */
export function strictly(parse: () => Step): Step {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MalformedReply) return { kind: 'malformed', reason: error.message };
    if (error instanceof UnknowableError) return { kind: 'unknowable', answer: error.answer };
    throw error;
  }
}
