import type { DatagramExchange } from '../../../prober/protocols/protocol.ts';
import { teeworlds } from '../../../prober/protocols/teeworlds.ts';
import { bytes } from './bytes.ts';
import { openDatagrams, packetsOf } from './exchange.ts';

const CONNLESS = Buffer.from('ffffffffffff', 'hex');
/**
 * Four bytes 0xff, with which each Teeworlds message type such as `inf3` begins. In the token request of Teeworlds 0.7,
 * the same four bytes mean "no token".
 */
export const ONES: Buffer = Buffer.from('ffffffff', 'hex');
/**
 * Token that gsq sends to Teeworlds servers in these tests: the lower 24 bits of the nonce. Requests of Teeworlds 0.7
 * contain only the lowest 6 bits of this token.
 */
export const TOKEN = 0x060708;
/** Token that gsq sends to Teeworlds 0.7 servers in these tests: the upper 32 bits of the nonce. */
export const OWN: Buffer = Buffer.from('01020304', 'hex');
/** Token that a Teeworlds 0.7 server sends to gsq in these tests. */
export const THEIRS: Buffer = Buffer.from('a0b0c0d0', 'hex');

/** Starts a query of the Teeworlds protocol, without a network. */
export const openTeeworlds = (): DatagramExchange => openDatagrams(teeworlds);
/** Encodes the fields of a Teeworlds message as texts, each with a zero byte at its end. */
export const text = (...fields: (string | number)[]): Buffer =>
  bytes(fields.map(field => `${field}\0`).join(''));

/** Builds a reply of Teeworlds 0.6. `kind` is the message type, and `token` is the token of the request. */
export const six = (kind: string, token: number, ...body: Buffer[]): Buffer =>
  bytes(CONNLESS, ONES, kind, text(token), ...body);
/** Builds an info reply of Teeworlds 0.6 from a server with a password. The server has 16 client slots. */
export const vanilla = (clients: number, ...players: Buffer[]): Buffer =>
  six('inf3', 8, text('0.6.5', 'Tees', 'ctf1', 'CTF', 1, clients, 12, clients, 16), ...players);
/** Builds the first packet of an info reply of DDNet. The server has 64 client slots. */
export const extended = (clients: number, ...players: Buffer[]): Buffer =>
  six(
    'iext',
    TOKEN,
    text('0.6.4', 'DDNet', 'Kobra', -5, 900, 'DDRace', 0, 0, 60, clients, 64, ''),
    ...players,
  );
/** Builds a packet of an info reply of DDNet that is not the first packet. `part` is the packet number. */
export const more = (part: number, ...players: Buffer[]): Buffer =>
  six('iex+', TOKEN, text(part, ''), ...players);
/** Builds the entry of a player in an info reply of Teeworlds 0.6. */
export const player = (name: string, score: number): Buffer => text(name, 'clan', 276, score, 1);
/** Builds the entry of a player in an info reply of DDNet. */
export const extendedPlayer = (name: string, score: number): Buffer => bytes(player(name, score), text(''));

/** Builds the message of Teeworlds 0.7 that contains the token of the server. `kind` is the message type. */
export const token = (own: Buffer = OWN, kind = 5): Buffer => bytes(4, 0, 0, own, kind, THEIRS);
/**
 * Builds an info reply of Teeworlds 0.7 with the content `body`. The byte 8 after `inf3` is the lowest 6 bits of
 * `TOKEN` (0x060708).
 */
export const seven = (...body: Buffer[]): Buffer => bytes(0x21, OWN, THEIRS, ONES, 'inf3', bytes(8), ...body);
/** Strings of a Teeworlds 0.7 info reply: version, server name, host name, map and game type. */
export const INFO_SEVEN: Buffer = text('0.7.5', 'Seven', 'host.example', 'dm1', 'DM');
/**
 * Flags and counts of a Teeworlds 0.7 info reply: password flag 1, skill level 0, 1 of 8 player slots, 3 of 64 client
 * slots.
 */
export const COUNTS_SEVEN: Buffer = bytes(1, 0, 1, 8, 3, 0x80, 1);

/** Opens a Teeworlds query that has already received the token of a Teeworlds 0.7 server. */
export function openSeven(): DatagramExchange {
  const exchange = openTeeworlds();
  exchange.request();
  packetsOf(exchange.receive(token()));
  return exchange;
}
