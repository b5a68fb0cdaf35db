import type { Unknowable } from '../answers/answer.ts';
import type { ColourCodes, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';

/** The next step of an exchange after a reply. */
export type Step =
  /** Keep waiting: the reply is incomplete, or answers another question. */
  | { kind: 'more' }
  | { kind: 'send'; packets: Buffer[] }
  | { kind: 'done'; status: RawStatus }
  | { kind: 'malformed'; reason: string }
  /** The server runs but does not tell its status: credentials are missing, or it was asked too often. */
  | { kind: 'unknowable'; answer: Unknowable };

export const MORE: Step = { kind: 'more' };

/** What an exchange needs to know about the server and the query. */
export interface ExchangeContext {
  /** The host as the caller named it, for protocols that repeat it to the server. */
  host: string;
  /** The address literal that is asked. */
  address: string;
  port: number;
  /** The port that players join at, which may differ from the asked one. */
  joinPort: number;
  /** An unpredictable number, for protocols whose reply echoes a number. */
  nonce: bigint;
  /** The last challenge of the server, for protocols with challenges; it may still be valid. */
  challenge?: number | undefined;
  /**
   * The version that an earlier exchange found, empty if it found none; absent if the version is not known.
   */
  knownVersion?: string | undefined;
  /** The password, key or token of the server; empty or absent if it has none. */
  secret?: string | undefined;
  /** Options that the operator set for this server. */
  options?: ReadonlyMap<string, string> | undefined;
}

/** One conversation over datagrams. It is pure (no sockets, no clocks) and never throws. */
export interface DatagramExchange {
  /** Returns the first packets to send; called once. */
  request(): Buffer[];
  receive(datagram: Buffer): Step;
  /** Returns the status known so far if no more replies come; undefined if there is none. */
  partial(): RawStatus | undefined;
  /** True if the server has demanded a challenge; absent if the protocol has no challenges. */
  readonly challenged?: boolean;
  /** The challenge to start the next exchange with; absent if there is none. */
  readonly challenge?: number | undefined;
}

/**
 * One conversation over a byte stream. It is pure, never throws, and keeps no more bytes than the protocol's
 * own limit.
 */
export interface StreamExchange {
  /** Returns the bytes to write as soon as the stream is open. */
  request(): Buffer[];
  receive(chunk: Buffer): Step;
  /** Returns the status known so far if the stream ends or no more bytes come. */
  partial(): RawStatus | undefined;
}

export interface DatagramProtocol {
  transport: 'udp';
  colours: ColourCodes;
  open(context: ExchangeContext): DatagramExchange;
  /**
   * True if the version costs an extra question. The version found is passed to later exchanges as
   * `knownVersion`.
   */
  versionInRules?: boolean;
  /**
   * True if nothing answers at the port that players join at: for that port the game's directory is asked.
   */
  directory?: boolean;
}

export interface StreamProtocol {
  transport: 'tcp';
  colours: ColourCodes;
  open(context: ExchangeContext): StreamExchange;
  /** The protocol of older servers, tried on a new connection if the first one gets a meaningless answer. */
  older?: StreamProtocol;
}

export type Protocol = DatagramProtocol | StreamProtocol;

/**
 * The error for a reply that violates its protocol. Parsers throw it, and `strictly` turns it into a step.
 */
export class MalformedReply extends Error {}

/**
 * Runs a parser. Turns MalformedReply into a `malformed` step and UnknowableError into an `unknowable` step;
 * any other error is a bug of ours.
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
