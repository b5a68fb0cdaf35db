import { gamespy3 } from '../../../prober/protocols/gamespy3.ts';
import type { DatagramExchange } from '../../../prober/protocols/protocol.ts';
import { bytes, cstring } from './bytes.ts';
import { openDatagrams, packetsOf } from './exchange.ts';

/**
 * The number of a GameSpy 3 request, which gsq derives from the random number of the query (`nonce`). Each reply must
 * repeat it.
 */
export const ID: Buffer = Buffer.from('05060708', 'hex');
/** Bit of the packet number that marks the last packet of a GameSpy 3 reply. */
export const LAST = 0x80;

/** Encodes texts as zero-terminated strings. */
export const strings = (...texts: string[]): Buffer => bytes(...texts.map(cstring));
/** Builds the GameSpy 3 reply that contains a challenge. A challenge is sent as decimal text. */
export const challenge = (text: string): Buffer => bytes(9, ID, cstring(text));
/**
 * Builds a packet of a GameSpy 3 status reply. `number` is the packet number, and `rest` is the content of the packet.
 */
export const part = (number: number, ...rest: (number | string | Buffer)[]): Buffer =>
  bytes(0, ID, cstring('splitnum'), number, ...rest);

/** Returns a GameSpy 3 query in progress that has received a challenge and sent its status request. */
export function openGamespy3(): DatagramExchange {
  const exchange = openDatagrams(gamespy3);
  exchange.request();
  packetsOf(exchange.receive(challenge('7')));
  return exchange;
}

const COUNTS = ['numplayers', '3', 'maxplayers', '64'];
/**
 * Server properties in the GameSpy 3 test replies, as alternating keys and values. The password flag is not among them.
 */
export const FACTS: readonly string[] = [
  'hostname',
  'Gulf Watch',
  'gamever',
  '1.5',
  'mapname',
  'Karkand',
  ...COUNTS,
  'hostport',
  '16567',
];
/**
 * The status that gsq must read if a server sends the properties in FACTS and a password flag. Contains no player list.
 */
export const STATUS = {
  name: 'Gulf Watch',
  map: 'Karkand',
  players: 3,
  maxplayers: 64,
  version: '1.5',
  password: true,
  connectPort: 16567,
};
/** The player list that gsq reads from the sections NAMES and SCORES of a GameSpy 3 reply. */
export const LIST = [
  { name: ' Ann', score: 90 },
  { name: 'UN Bob', score: -4 },
  { name: 'Eve', score: 0 },
];
/** The section of a GameSpy 3 reply with the server properties: the properties in FACTS, and the password flag. */
export const RULES: Buffer = bytes(0, strings(...FACTS, 'password', '1', ''));
/** The section of a GameSpy 3 reply that lists the player names. */
export const NAMES: Buffer = bytes(cstring('player_'), 0, strings(' Ann', 'UN Bob', 'Eve', ''));
/** The section of a GameSpy 3 reply that lists the player scores. */
export const SCORES: Buffer = bytes(cstring('score_'), 0, strings('90', '-4', '0', ''));
/** The section of a GameSpy 3 reply that lists the teams. */
export const TEAMS: Buffer = bytes(2, cstring('team_t'), 0, strings('MEC', 'US', ''), 0);
/** A complete GameSpy 3 status reply in one packet. */
export const ONE: Buffer = part(LAST, RULES, 1, NAMES, SCORES, 0, TEAMS);
