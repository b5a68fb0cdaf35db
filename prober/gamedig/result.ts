import { type Answer, connectionFailure, type Failure } from '../answers/answer.ts';
import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { withoutSecret } from '../answers/redact.ts';
import { count, field, list, number, text, truth } from '../answers/untyped.ts';
import type { ConnectionError } from './confine.ts';

const MAX_PLAYERS = 255;
/** Of an error that are looked at and told. */
const MAX_WORDS = 200;

/**
 * What gamedig made of a reply by its `protocol`, if it is one. gamedig reads past the end of what it got and calls a datagram
 * of five bytes an online server without name, map or places: at least one of these has to be there, and counts that
 * are there have to be counts.
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
  // Some protocols fill in the list and leave the number alone.
  const players = counted || people.length + bots.length;
  if (players > 0 || (counted === 0 && tellsNobody(state, protocol))) status.players = players;
  // Where a game does not tell its places gamedig leaves its own 0.
  if (maxplayers) status.maxplayers = maxplayers;
  const port = Number(/:(\d{1,5})$/.exec(text(state, 'connect'))?.[1]);
  // Without better knowledge gamedig puts the queried port there.
  if (port > 0 && port <= 65535 && port !== queriedPort) status.connectPort = port;
  return { kind: 'online', status, ping: count(state, 'ping') || 0 };
}

/** URLs in an error. Tokens travel in the query behind one. */
const URLS = /https?:\/\/[^\s"]*/g;

/** What is known of a failed query beside its error. */
export interface FailedQuery {
  /** What it was asked with; empty or undefined if it was asked without. */
  secret?: string | undefined;
  /** How its last connection failed; undefined if none did. */
  connection?: ConnectionError | undefined;
}

/**
 * What gamedig's error says about the server, or about us. It has no codes, so its words must do, except where a
 * connection failed. The words may repeat the secret that it was asked with; the detail does not.
 */
export function readError(error: unknown, { secret = '', connection }: FailedQuery = {}): Answer {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The outermost only counts the attempts; the attempt's own is behind `Attempt #1 - Port=… Retry=…:`, which an error that
  // several queries share has several times.
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

/** What a failed connection says; undefined if it was made and failed in a way that only the words explain, such as TLS. */
function brokenConnection({ code, wasConnected }: ConnectionError): Failure | undefined {
  const failure = connectionFailure(code);
  return wasConnected && failure.kind === 'fault' ? undefined : failure;
}

type KnownWords = [RegExp, Failure['kind']][];

/** The first whose words are found decides. */
function kindOf(known: KnownWords, words: string): Failure['kind'] | undefined {
  return known.find(([pattern]) => pattern.test(words))?.[1];
}

/** What a server told before its connection failed, and what we did not allow. */
const TOLD: KnownWords = [
  // Of ours; what follows may hold any of the words below.
  [/may not connect/i, 'fault'],
  // HTTP APIs of game servers: the server runs, and does not tell us how.
  [/Response code (401|403)\b/, 'needs-credentials'],
  [/Response code (429|5\d\d)\b/, 'directory-unavailable'],
  // Farming Simulator without its code; TShock, which answers 200 and says in JSON that a token is missing or refused.
  [/no token|Invalid status/i, 'needs-credentials'],
  // Trackmania and its kin without a login, or with a wrong one.
  [/XML-RPC fault: .*(password|permission|login|user)/i, 'needs-credentials'],
];

/** What else goes wrong: the network of gamedig's UDP socket, and waiting in vain. */
const ERRORS: KnownWords = [
  [/timed out|timeout/i, 'silent'],
  // gamedig's words for any connection that failed; how it failed is not known.
  [/TCP Connection Refused/, 'fault'],
  [/definition file missing|invalid game/i, 'fault'],
  [/\bE(ACCES|PERM|MFILE|NFILE|NOBUFS|INVAL|NETUNREACH|HOSTUNREACH|AI_AGAIN|NOTFOUND)\b/, 'fault'],
];

/**
 * Protocols that leave gamedig's own 0 players if the reply does not count them, and whether it does, by what gamedig
 * keeps of the reply. Source: `protocols/` of gamedig 5.3.3.
 */
const COUNTS_PLAYERS: ReadonlyMap<string, (raw: unknown) => boolean> = new Map([
  ['buildandshoot', raw => field(raw, 'players') !== undefined],
  ['farmingsimulator', raw => /\bnumUsed="\d/.test(String(field(raw, 'data')))],
  ['fivem', raw => field(raw, 'iv') !== undefined || Array.isArray(field(raw, 'players'))],
  ['hytale', raw => field(raw, 'universe') !== undefined],
  // Behind HTTPS alone, which may be closed.
  ['satisfactory', raw => field(raw, 'http') !== undefined],
  ['soldat', raw => /Players:\s*\d/.test(String(field(raw, 'response')))],
  ['starmade', raw => typeof list(raw, 'data')[5] === 'number'],
]);

/** Whether 0 players is what the server said. */
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
