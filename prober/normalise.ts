import type { Player } from '../proto/generated/gsq/v1/Player.ts';
import type { ServerPayload } from '../proto/generated/gsq/v1/ServerPayload.ts';
import { hostPort } from '../runtime/endpoint.ts';
import type { ColourCodes, RawPlayer, RawStatus } from './protocols/protocol.ts';

const MAX_NAME = 256;
const MAX_MAP = 128;
const MAX_VERSION = 64;
const MAX_PLAYER_NAME = 64;
const MAX_COUNT = 1_000_000;
const MAX_PORT = 65_535;
const MAX_PLAYERS = 255;
const MAX_PLAYERS_BYTES = 24 * 1024;
/** The most a player costs beside the name: keys, numbers, braces of the JSON it becomes. */
const PLAYER_BYTES = 56;
/** So few are never too many bytes: JSON takes six for a code point at most, and two for the quotes. */
const FEW_PLAYERS = Math.floor(MAX_PLAYERS_BYTES / (PLAYER_BYTES + 2 + MAX_PLAYER_NAME * 6));

const SPACES = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
// Controls, halves of surrogate pairs, what turns the direction of text around, byte order marks.
const UNWANTED = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const COLOURS: Record<ColourCodes, RegExp | undefined> = {
  caret: /\^(?:X[\da-fA-F]{6}|x[\da-fA-F]{3}|[^^])/g,
  section: /§./gu,
  none: undefined,
};

/** What the prober knows beside the status itself. */
export interface ProbeFacts {
  /** The server as the caller named it. */
  host: string;
  /** The port to join at unless the server names another. */
  joinPort: number;
  colours: ColourCodes;
  /** Round trip, ms. */
  ping: number;
}

/**
 * The payload as the core stores it: every field but `updated`, which is the core's clock's, and counts that the server
 * does not tell. `connect` is empty where players join where the server was named, which the core knows.
 */
export type NormalisedPayload = Required<Omit<ServerPayload, 'updated' | Counts>> &
  Pick<ServerPayload, 'players' | 'maxplayers'>;

type Counts = 'players' | 'maxplayers' | '_players' | '_maxplayers';

/**
 * Makes what a server said fit to be stored and shown: text without control, direction and colour codes and
 * of bounded length, numbers as integers from 0 up, and a name always. More players than places stay as they
 * were said: some servers let more in.
 */
export function normalise(raw: RawStatus, facts: ProbeFacts): NormalisedPayload {
  const { colours, host, joinPort } = facts;
  const { players, maxplayers } = raw;
  const port = isPort(raw.connectPort) ? raw.connectPort : joinPort;
  const payload: NormalisedPayload = {
    name: cleanText(raw.name, colours, MAX_NAME) || hostPort(host, port),
    map: cleanText(raw.map ?? '', colours, MAX_MAP),
    players: whole(players, 0, MAX_COUNT),
    maxplayers: whole(maxplayers, 0, MAX_COUNT),
    numbots: whole(raw.numbots, 0, MAX_COUNT),
    password: raw.password ?? false,
    version: cleanText(raw.version ?? '', colours, MAX_VERSION),
    ping: whole(facts.ping, 0, MAX_COUNT),
    connect: port === joinPort ? '' : hostPort(host, port),
    playerList: normalisePlayers(raw.playerList ?? [], colours),
  };
  // Nearly all servers tell both: a property that is added later makes each payload slower than one that is rarely deleted.
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
      // As JSON writes it: quotes and backslashes double.
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

/** Whether a text is words of printable ASCII with a space between them, no colours. */
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

/** `max` in code points. */
function cleanText(value: string, colours: ColourCodes, max: number): string {
  // The expressions below take 0.8 µs a text, and most texts need nothing.
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

/** False for -1 too, by which some servers say that they have no limit. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}

function isPort(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value <= MAX_PORT;
}

/** What is no number, or without end, is 0: floats on the wire may be either. */
function whole(value: number | undefined, min: number, max: number): number {
  if (value === undefined || !Number.isFinite(value)) return 0;
  return Math.min(max, Math.max(min, Math.round(value)));
}
