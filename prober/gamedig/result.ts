import type { RawPlayer, RawStatus } from '../protocols/protocol.ts';
import type { Answer } from '../transport/answer.ts';

const MAX_PLAYERS = 255;
const MAX_TEXT = 4096;
const MAX_COUNT = 1_000_000;

/**
 * What gamedig made of a reply of `game`, if it is one. gamedig reads past the end of what it got and calls a datagram
 * of five bytes an online server without name, map or places: at least one of these has to be there, and the
 * counts have to be counts.
 */
export function readResult(state: unknown, queriedPort: number, game: string): Answer {
  const name = text(state, 'name');
  const map = text(state, 'map');
  const maxplayers = count(state, 'maxplayers');
  const counted = count(state, 'numplayers');
  if (maxplayers === undefined || counted === undefined)
    return { kind: 'malformed', detail: 'counts that are none' };
  if (!hasLetters(name) && !hasLetters(map) && maxplayers === 0) {
    return { kind: 'malformed', detail: 'neither name nor map nor places' };
  }
  const bots = list(state, 'bots');
  const people = list(state, 'players');
  const status: RawStatus = {
    name,
    map,
    numbots: bots.length,
    password: truth(field(state, 'password')),
    version: text(state, 'version'),
    playerList: [...people, ...bots].slice(0, MAX_PLAYERS).map(readPlayer),
  };
  // Some protocols fill in the list and leave the number alone.
  if (tellsPlayers(state, game)) status.players = counted || people.length + bots.length;
  // Where a game does not tell its places gamedig leaves its own 0.
  if (maxplayers > 0) status.maxplayers = maxplayers;
  const port = Number(/:(\d{1,5})$/.exec(text(state, 'connect'))?.[1]);
  // Without better knowledge gamedig puts the queried port there.
  if (port > 0 && port <= 65535 && port !== queriedPort) status.connectPort = port;
  return { kind: 'online', status, ping: count(state, 'ping') ?? 0 };
}

/** What gamedig's error says about the server, or about us. It has no codes, so its words must do. */
export function readError(error: unknown): Answer {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The outermost only counts the attempts; the attempt's own is behind `Attempt #1 - Port=… Retry=…:`, which an error that
  // several queries share has several times.
  const detail = (/Retry=\d+:\n(?!Attempt #)(.*)/.exec(stack)?.[1] ?? stack.split('\n')[0] ?? '').slice(
    0,
    200,
  );
  const kind = ERRORS.find(([words]) => words.test(detail))?.[1] ?? 'malformed';
  return { kind, detail };
}

const ERRORS: [RegExp, 'silent' | 'refused' | 'fault'][] = [
  // Of ours; what follows may hold any of the words below.
  [/may not connect/i, 'fault'],
  [/timed out|timeout|not found|couldn't find/i, 'silent'],
  [/connection refused|ECONNREFUSED|ECONNRESET/i, 'refused'],
  [/must be set|no token|unable to retrieve|definition file missing|invalid game/i, 'fault'],
  [/\bE(ACCES|PERM|MFILE|NFILE|NOBUFS|INVAL|NETUNREACH|HOSTUNREACH|AI_AGAIN|NOTFOUND)\b/, 'fault'],
];

/** Satisfactory counts its players behind HTTPS alone: where that is closed, gamedig's 0 means nothing. */
function tellsPlayers(state: unknown, game: string): boolean {
  return game !== 'satisfactory' || field(field(state, 'raw'), 'http') !== undefined;
}

function readPlayer(player: unknown): RawPlayer {
  const raw = field(player, 'raw');
  const read: RawPlayer = { name: text(player, 'name') };
  const score = number(field(raw, 'score') ?? field(raw, 'frags'));
  const time = number(field(raw, 'time'));
  if (score !== undefined) read.score = score;
  if (time !== undefined) read.time = time;
  return read;
}

function field(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return Reflect.get(object, key);
}

function text(object: unknown, key: string): string {
  const value = field(object, key);
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

function list(object: unknown, key: string): unknown[] {
  const value = field(object, key);
  return Array.isArray(value) ? value : [];
}

function number(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Absent is 0: not every protocol tells every count. */
function count(object: unknown, key: string): number | undefined {
  const value = field(object, key) ?? 0;
  const parsed = number(value);
  return parsed !== undefined && parsed >= 0 && parsed <= MAX_COUNT ? parsed : undefined;
}

function truth(value: unknown): boolean {
  if (typeof value === 'string') return !['', '0', 'false', 'no'].includes(value.toLowerCase());
  return value === true || (typeof value === 'number' && value !== 0);
}

function hasLetters(value: string): boolean {
  return /[^\p{C}\p{Z}\ufffd]/u.test(value);
}
