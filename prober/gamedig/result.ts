import { type Answer, connectionFailure, type Failure } from '../answers/answer.ts';
import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { withoutSecret } from '../answers/redact.ts';
import { count, field, list, number, text, truth } from '../answers/untyped-values.ts';
import type { ConnectionError } from './confine.ts';

const MAX_PLAYERS = 255;
/** Longest part of an error text that is read and reported. */
const MAX_WORDS = 200;

/**
 * Reads the status that gamedig made of a reply by `protocol`. gamedig reads past the end of a packet and
 * reports a datagram of five bytes as an online server. So at least one of name, map and slots must be
 * present, and counts must be counts.
 */
export function readResult(state: unknown, queriedPort: number, protocol: string): Answer {
  const name = text(state, 'name');
  const map = text(state, 'map');
  const maxplayers = count(state, 'maxplayers');
  const counted = count(state, 'numplayers');
  if (Number.isNaN(maxplayers) || Number.isNaN(counted))
    return { kind: 'malformed', detail: 'counts that are none' };
  if (!hasLetters(name) && !hasLetters(map) && !maxplayers) {
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
  // Some protocols fill in the player list and leave the number at 0.
  const players = counted || people.length + bots.length;
  if (players > 0 || (counted === 0 && tellsNobody(state, protocol))) status.players = players;
  // gamedig reports 0 slots for a game that does not tell its slots.
  if (maxplayers) status.maxplayers = maxplayers;
  const port = Number(/:(\d{1,5})$/.exec(text(state, 'connect'))?.[1]);
  // gamedig reports the queried port if it knows no better.
  if (port > 0 && port <= 65535 && port !== queriedPort) status.connectPort = port;
  return { kind: 'online', status, ping: count(state, 'ping') || 0 };
}

/** Matches the URLs in an error text. Tokens travel in the query part of a URL. */
const URLS = /https?:\/\/[^\s"]*/g;

/** What is known of a failed query beside its error. */
export interface FailedQuery {
  /** The secret that the query was sent with; empty or undefined if there was none. */
  secret?: string | undefined;
  /** How the last connection failed; undefined if none failed. */
  connection?: ConnectionError | undefined;
}

/**
 * Decides what gamedig's error says about the server or about us. gamedig has no error codes, so its words
 * decide, except for failed connections. The words may repeat the server's secret; the returned detail does
 * not.
 */
export function readError(error: unknown, { secret = '', connection }: FailedQuery = {}): Answer {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Takes the error of the attempt. The outermost error only counts the attempts; the attempt's own stands
  // behind `Attempt #1 - Port=… Retry=…:`, several times if several queries share it.
  const line = /Retry=\d+:\n(?!Attempt #)(.*)/.exec(stack)?.[1] ?? stack.split('\n')[0] ?? '';
  const words = line.slice(0, MAX_WORDS);
  const told = kindOf(TOLD, words);
  const failure = told ? undefined : connection && brokenConnection(connection);
  if (failure) return failure;
  const kind = told ?? kindOf(ERRORS, words) ?? 'malformed';
  return {
    kind,
    detail: withoutSecret(
      line.replace(URLS, url => url.split('?', 1)[0] ?? ''),
      secret,
    ).slice(0, MAX_WORDS),
  };
}

/**
 * The answer for a failed connection; undefined if only the error's words can explain the failure, such as a
 * TLS error.
 */
function brokenConnection({ code, wasConnected }: ConnectionError): Failure | undefined {
  const failure = connectionFailure(code);
  return wasConnected && failure.kind === 'fault' ? undefined : failure;
}

type KnownWords = [RegExp, Failure['kind']][];

/** The kind of the first pattern that matches. */
function kindOf(known: KnownWords, words: string): Failure['kind'] | undefined {
  return known.find(([pattern]) => pattern.test(words))?.[1];
}

/** Errors that a server reported before its connection failed, and connections that we did not allow. */
const TOLD: KnownWords = [
  // Our own refusal. It comes first, because the text behind it may match any pattern below.
  [/may not connect/i, 'fault'],
  // HTTP APIs of game servers: the server runs but refuses to answer without credentials.
  [/Response code (401|403)\b/, 'needs-credentials'],
  [/Response code (429|5\d\d)\b/, 'directory-unavailable'],
  // Farming Simulator without its code, and TShock: it answers 200 and says in JSON that a token is missing
  // or refused.
  [/no token|Invalid status/i, 'needs-credentials'],
  // Trackmania and related games without a login, or with a wrong one.
  [/XML-RPC fault: .*(password|permission|login|user)/i, 'needs-credentials'],
];

/** Other errors: those of gamedig's UDP socket, and timeouts. */
const ERRORS: KnownWords = [
  [/timed out|timeout/i, 'silent'],
  // gamedig uses these words for any failed connection, so the reason is unknown.
  [/TCP Connection Refused/, 'fault'],
  [/definition file missing|invalid game/i, 'fault'],
  [/\bE(ACCES|PERM|MFILE|NFILE|NOBUFS|INVAL|NETUNREACH|HOSTUNREACH|AI_AGAIN|NOTFOUND)\b/, 'fault'],
];

/**
 * Protocols for which gamedig reports 0 players if the reply holds no count, each with a check whether the
 * raw reply holds one. Source: `protocols/` of gamedig 5.3.3.
 */
const COUNTS_PLAYERS: ReadonlyMap<string, (raw: unknown) => boolean> = new Map([
  ['buildandshoot', raw => field(raw, 'players') !== undefined],
  ['farmingsimulator', raw => /\bnumUsed="\d/.test(String(field(raw, 'data')))],
  ['fivem', raw => field(raw, 'iv') !== undefined || Array.isArray(field(raw, 'players'))],
  ['hytale', raw => field(raw, 'universe') !== undefined],
  // The count comes only over HTTPS, which may be closed.
  ['satisfactory', raw => field(raw, 'http') !== undefined],
  ['soldat', raw => /Players:\s*\d/.test(String(field(raw, 'response')))],
  ['starmade', raw => typeof list(raw, 'data')[5] === 'number'],
]);

/** True if the reply holds no player count, so that 0 players would be a guess. */
function tellsNobody(state: unknown, protocol: string): boolean {
  const counts = COUNTS_PLAYERS.get(protocol);
  return counts === undefined || counts(field(state, 'raw'));
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

function hasLetters(value: string): boolean {
  return /[^\p{C}\p{Z}\ufffd]/u.test(value);
}
