import type { Unknowable } from '../answers/answer.ts';
import type { ColourCodes, RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';

/** What a reply leads to. */
export type Step =
  /** Keep waiting: the reply is not whole yet, or was not an answer to what was asked. */
  | { kind: 'more' }
  | { kind: 'send'; packets: Buffer[] }
  | { kind: 'done'; status: RawStatus }
  | { kind: 'malformed'; reason: string }
  /** The server lives, and keeps its status to itself: for want of credentials, or because it was asked too often. */
  | { kind: 'unknowable'; answer: Unknowable };

export const MORE: Step = { kind: 'more' };

/** What an exchange has to know of the world it does not see. */
export interface ExchangeContext {
  /** The server as the caller named it, for protocols that repeat it to the server. */
  host: string;
  /** What is asked: an address literal and a port. */
  address: string;
  port: number;
  /** Where players join, which may be another port. */
  joinPort: number;
  /** Unforeseeable, for protocols whose reply echoes a number. */
  nonce: bigint;
  /** What the server demanded last, for protocols with a challenge; it may be good still. */
  challenge?: number | undefined;
  /** The version an earlier exchange found, empty if it found none; absent if there was none lately. */
  knownVersion?: string | undefined;
  /** A password, key or token of the server; empty or absent if it has none. */
  secret?: string | undefined;
  /** What the operator told about the server beside its address. */
  options?: ReadonlyMap<string, string> | undefined;
}

/** One conversation over datagrams. Pure: no sockets, no clocks; never throws. */
export interface DatagramExchange {
  /** The packets that open the conversation; called once. */
  request(): Buffer[];
  receive(datagram: Buffer): Step;
  /** What is known when nothing more comes: a status without its extras, or undefined. */
  partial(): RawStatus | undefined;
  /** Whether the server has demanded a challenge; absent where the protocol has none. */
  readonly challenged?: boolean;
  /** The challenge to ask with next time; absent if there is none. */
  readonly challenge?: number | undefined;
}

/** One conversation over a byte stream. Pure; never throws; keeps no more than the protocol's own cap. */
export interface StreamExchange {
  /** Written as soon as the stream is open. */
  request(): Buffer[];
  receive(chunk: Buffer): Step;
  /** What is known when the stream ends or nothing more comes. */
  partial(): RawStatus | undefined;
}

export interface DatagramProtocol {
  transport: 'udp';
  colours: ColourCodes;
  open(context: ExchangeContext): DatagramExchange;
  /** The version costs a question of its own: what was found is told to later exchanges as `knownVersion`. */
  versionInRules?: boolean;
  /** Nothing answers at the port to join at: for that port the server is looked up in the game's directory. */
  directory?: boolean;
}

export interface StreamProtocol {
  transport: 'tcp';
  colours: ColourCodes;
  open(context: ExchangeContext): StreamExchange;
  /** How older servers are asked, on a connection of its own, where the first one ends without sense. */
  older?: StreamProtocol;
}

export type Protocol = DatagramProtocol | StreamProtocol;

/** A reply that is not what the protocol says. Thrown by parsers, turned into a step by `strictly`. */
export class MalformedReply extends Error {}

/**
 * Runs a parser; a reply it refuses becomes a `malformed` step, `UnknowableError` an `unknowable` one. Anything else it throws is
 * our defect.
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
