import type { Unknowable } from '../answers/answer.ts';
import type { ColourCodes, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';

/**
 * The result of reading one reply: what the exchange does next. An exchange is the query of one server in one protocol.
 */
export type Step =
  /** Keep waiting for more data. The reply is incomplete, or it belongs to another query. */
  | { kind: 'more' }
  | { kind: 'send'; packets: Buffer[] }
  | { kind: 'done'; status: RawStatus }
  | { kind: 'malformed'; reason: string }
  /**
   * The server runs but does not report its status, for example because credentials are missing or gsq queried it too
   * often.
   */
  | { kind: 'unknowable'; answer: Unknowable };

/** The step that keeps the exchange waiting for more data. */
export const MORE: Step = { kind: 'more' };

/** The data about the server and the query that an exchange needs. */
export interface ExchangeContext {
  /** The host as the caller wrote it (a name or an address). Some protocols send it to the server. */
  host: string;
  /** The IP address that receives the query. */
  address: string;
  port: number;
  /** The port that players join at. It can differ from the queried port. */
  joinPort: number;
  /** An unpredictable number. In many protocols the query contains a number that the reply repeats. */
  nonce: bigint;
  /**
   * The last challenge that the server sent in an earlier exchange. A challenge is a token that queries must repeat.
   * The server can reject an old challenge.
   */
  challenge?: number | undefined;
  /**
   * The server's version from an earlier exchange. Empty if that exchange found no version. Absent if gsq has no result
   * of an earlier exchange.
   */
  knownVersion?: string | undefined;
  /** The secret for the query: a password, key or token of the server. Empty or absent if none is configured. */
  secret?: string | undefined;
  /** Options that the operator of gsq set for this server. */
  options?: ReadonlyMap<string, string> | undefined;
}

/** One query of a server over datagrams. It is pure (no sockets, no clocks), and its methods never throw. */
export interface DatagramExchange {
  /** Returns the first packets to send. Called once for each exchange. */
  request(): Buffer[];
  receive(datagram: Buffer): Step;
  /**
   * Returns the status that the replies so far contain, or undefined if they contain none. gsq uses it if no more
   * replies arrive.
   */
  partial(): RawStatus | undefined;
  /** True if the server has demanded a challenge. Absent if the protocol has no challenges. */
  readonly challenged?: boolean;
  /** The challenge for the first packet of the next exchange. Absent if no challenge is known. */
  readonly challenge?: number | undefined;
}

/**
 * One query of a server over a byte stream. It is pure (no sockets, no clocks), and its methods never throw. It
 * buffers no more bytes than its protocol allows.
 */
export interface StreamExchange {
  /** Returns the bytes to send as soon as the connection is open. */
  request(): Buffer[];
  receive(chunk: Buffer): Step;
  /**
   * Returns the status that the bytes so far contain, or undefined if they contain none. gsq uses it if the stream ends
   * or no more bytes arrive.
   */
  partial(): RawStatus | undefined;
}

/** A query protocol over UDP. */
export interface DatagramProtocol {
  transport: 'udp';
  colours: ColourCodes;
  open(context: ExchangeContext): DatagramExchange;
  /**
   * True if an exchange sends an extra query to get the server's version. Later exchanges get the version as
   * `knownVersion`, and skip the extra query.
   */
  versionInRules?: boolean;
  /**
   * True for a game whose servers answer no queries at the port that players join at. For such a port, gsq uses a web
   * service that lists the servers of the game (a directory) instead of querying the server.
   */
  directory?: boolean;
}

/** A query protocol over TCP. */
export interface StreamProtocol {
  transport: 'tcp';
  colours: ColourCodes;
  open(context: ExchangeContext): StreamExchange;
  /**
   * The protocol of older servers. gsq tries it on a new connection if the reply on the first connection is invalid.
   */
  older?: StreamProtocol;
}

/** A query protocol over UDP or TCP. */
export type Protocol = DatagramProtocol | StreamProtocol;

/**
 * The error for a reply that violates its protocol. Parsers throw the error, and `strictly` converts it into a step.
 */
export class MalformedReply extends Error {}

/**
 * Runs a parser. Converts MalformedReply into a `malformed` step and UnknowableError into an `unknowable` step.
 * Rethrows any other error, because it is a bug in gsq.
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
