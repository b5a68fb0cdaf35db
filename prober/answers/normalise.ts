import { formatAddress } from '../../net/address.ts';
import type { Player } from '../../proto/generated/gsq/v1/Player.ts';
import type { ServerPayload } from '../../proto/generated/gsq/v1/ServerPayload.ts';
import type { ColourCodes, RawPlayer, RawStatus } from './raw-status.ts';

const MAX_NAME = 256;
const MAX_MAP = 128;
const MAX_VERSION = 64;
const MAX_PLAYER_NAME = 64;
const MAX_COUNT = 1_000_000;
const MAX_PORT = 65_535;
const MAX_PLAYERS = 255;
const MAX_PLAYERS_BYTES = 24 * 1024;
/** Bytes that a player takes in JSON beside the name: keys, numbers, braces. */
const PLAYER_BYTES = 56;
/** This many players always fit: JSON needs at most six bytes for a code point, and two for the quotes. */
const FEW_PLAYERS = Math.floor(MAX_PLAYERS_BYTES / (PLAYER_BYTES + 2 + MAX_PLAYER_NAME * 6));

const SPACES = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Control characters, lone surrogates, marks that change the direction of text, and byte order marks.
const UNWANTED = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const COLOURS: Record<ColourCodes, RegExp | undefined> = {
  caret: /\^(?:X[\da-fA-F]{6}|x[\da-fA-F]{3}|[^^])/g,
  section: /§./gu,
  none: undefined,
};

/** Facts about a probe that the server's reply does not hold. */
export interface ProbeFacts {
  /** The host as the caller named it. */
  host: string;
  /** The port that players join at, unless the server names another. */
  joinPort: number;
  colours: ColourCodes;
  /** Round trip time, ms. */
  ping: number;
}

/**
 * The payload as the core stores it. `updated` is absent because the core's clock sets it; a count is absent
 * if the server does not tell it. `connect` is empty if players join at the address the caller named, which
 * the core knows.
 */
export type NormalisedPayload = Required<Omit<ServerPayload, 'updated' | Counts>> &
  Pick<ServerPayload, 'players' | 'maxplayers'>;

type Counts = 'players' | 'maxplayers' | '_players' | '_maxplayers';

/**
 * Makes a reply fit to be stored and shown: texts lose control characters, direction marks and colour codes
 * and are cut, numbers become integers from 0 up, and the name is never empty. More players than slots stay
 * as reported: some servers let more in.
 */
export function normalise(raw: RawStatus, facts: ProbeFacts): NormalisedPayload {
  const { colours, host, joinPort } = facts;
  const { players, maxplayers } = raw;
  const port = isPort(raw.connectPort) ? raw.connectPort : joinPort;
  const payload: NormalisedPayload = {
    name: cleanText(raw.name, colours, MAX_NAME) || formatAddress(host, port),
    map: cleanText(raw.map ?? '', colours, MAX_MAP),
    players: whole(players, 0, MAX_COUNT),
    maxplayers: whole(maxplayers, 0, MAX_COUNT),
    numbots: whole(raw.numbots, 0, MAX_COUNT),
    password: raw.password ?? false,
    version: cleanText(raw.version ?? '', colours, MAX_VERSION),
    ping: whole(facts.ping, 0, MAX_COUNT),
    connect: port === joinPort ? '' : formatAddress(host, port),
    playerList: normalisePlayers(raw.playerList ?? [], colours),
  };
  // Nearly all servers tell both counts, so deleting a property is rare. Adding one later would slow down
  // every payload.
  if (!isCount(players)) delete payload.players;
  if (!isCount(maxplayers)) delete payload.maxplayers;
  return payload;
}

function normalisePlayers(list: RawPlayer[], colours: ColourCodes): Player[] {
  const players: Player[] = [];
  const count = Math.min(list.length, MAX_PLAYERS);
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const raw = list[i] as RawPlayer;
    const name = cleanText(raw.name, colours, MAX_PLAYER_NAME);
    if (count > FEW_PLAYERS) {
      // Counts the name as JSON writes it, where quotes and backslashes take two bytes.
      bytes += Buffer.byteLength(JSON.stringify(name)) + PLAYER_BYTES;
      if (bytes > MAX_PLAYERS_BYTES) break;
    }
    players.push({
      name,
      score: whole(raw.score, -0x80000000, 0x7fffffff),
      time: whole(raw.time, 0, 0xffffffff),
    });
  }
  return players;
}

const SPACE = 0x20;
const CARET = 0x5e;
const LAST_PRINTABLE = 0x7e;

/** True for printable ASCII without colour codes, with single spaces between words. */
function isPlain(text: string): boolean {
  let before = SPACE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit > LAST_PRINTABLE || unit === CARET) return false;
    if (unit === SPACE && before === SPACE) return false;
    before = unit;
  }
  return before !== SPACE || text === '';
}

/** Removes what may not be shown from a text, and cuts it to `max` code points. */
function cleanText(value: string, colours: ColourCodes, max: number): string {
  // Fast path: the expressions below take 0.8 µs a text, and most texts need no cleaning.
  if (value.length <= max && isPlain(value)) return value;
  let text = value
    .slice(0, max * 8)
    .replace(SPACES, ' ')
    .replace(UNWANTED, '');
  const codes = COLOURS[colours];
  if (codes) text = text.replace(codes, '');
  text = text.replace(/\s+/g, ' ').trim();
  if (text.length > max) text = Array.from(text).slice(0, max).join('').trimEnd();
  return text;
}

/** True for a number from 0 up. Some servers send -1 for "no limit". */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

function isPort(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value <= MAX_PORT;
}

/** Rounds and clamps a number. NaN and infinity become 0: floats on the wire may be either. */
function whole(value: number | undefined, min: number, max: number): number {
  if (value === undefined || !Number.isFinite(value)) return 0;
  return Math.min(max, Math.max(min, Math.round(value)));
}
