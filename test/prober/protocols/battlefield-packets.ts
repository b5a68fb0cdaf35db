import { battlefield } from '../../../prober/protocols/battlefield.ts';
import type { Step, StreamExchange } from '../../../prober/protocols/protocol.ts';
import { bytes, i32 } from './bytes.ts';
import { openStream } from './exchange.ts';

/** The sequence number of gsq's first Battlefield request: the lower 30 bits of the nonce. */
export const SEQUENCE = 0x05060708;
/** Bit in the sequence number of a Battlefield packet. It marks the packet as a response. */
export const RESPONSE = 0x40000000;

/** Builds a packet of the Battlefield protocol. `sequence` is the sequence number with its flag bits. */
export function packet(sequence: number, ...words: string[]): Buffer {
  const body = bytes(...words.map(word => bytes(i32(Buffer.byteLength(word)), word, 0)));
  return bytes(i32(sequence), i32(12 + body.length), i32(words.length), body);
}
/** Builds the response of a Battlefield server to a request for its server info. */
export const info = (...words: string[]): Buffer => packet(SEQUENCE | RESPONSE, ...words);
/** Builds the response of a Battlefield server to a request for its version. */
export const version = (...words: string[]): Buffer => packet((SEQUENCE + 1) | RESPONSE, ...words);
/** Builds the response of a Battlefield server to a request for its player list. */
export const players = (...words: string[]): Buffer => packet((SEQUENCE + 2) | RESPONSE, ...words);

/**
 * The words of a Battlefield 3 server info: name (word 1), player count (word 2), join address (word 18), and others.
 */
export const BF3_WORDS: readonly string[] = [
  ...['OK', 'Métro 24/7', '2', '64', 'RushLarge0', 'MP_001', '0', '2', '2', '168', '2277.5', '0', ''],
  ...[
    'true',
    'true',
    'false',
    '159751',
    '921',
    '192.0.2.7:25200',
    'v1.893',
    'true',
    'NAm',
    'iad',
    'US',
    'false',
  ],
];
/** Response with the server info of a Battlefield 3 server. It consists of the words in `BF3_WORDS`. */
export const BF3: Buffer = info(...BF3_WORDS);
/** The response with the version of a Battlefield 3 server. */
export const VERSION: Buffer = version('OK', 'BF3', '1149977');

/** Returns a Battlefield query that has sent its first requests and is waiting for the replies. */
export function openBattlefield(): StreamExchange {
  const exchange = openStream(battlefield);
  exchange.request();
  return exchange;
}
/** Passes several packets to a query in progress as one chunk of bytes, because TCP can join packets. */
export const hear = (exchange: StreamExchange, ...packets: Buffer[]): Step =>
  exchange.receive(Buffer.concat(packets));
