import { type Answer, connectionFailure, type Failure } from '../answers/answer.ts';
import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { withoutSecret } from '../answers/redact.ts';
import { count, field, list, number, text, truth } from '../answers/untyped-values.ts';
import type { ConnectionError } from './confine.ts';

const MAX_PLAYERS = 255;
/**
 * Maximum length of an error text of gamedig, in characters. A longer text is cut before it is compared with known
 * error texts, and before it is reported.
 */
const MAX_WORDS = 200;

/**
 * Converts the result of a gamedig query into an answer. Even if the packets of a reply are truncated, gamedig reports
 * an online server. Therefore a result without name, map and player slots is `malformed`. `protocol`: gamedig's name of
 * the protocol.
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
    version: versionOf(state),
    playerList: [...people, ...bots].slice(0, MAX_PLAYERS).map(readPlayer),
  };
  // For some protocols, gamedig returns a player list but reports 0 as the number of players. gsq then uses the length
  // of the list as the number.
  const players = counted || people.length + bots.length;
  if (players > 0 || (counted === 0 && hasPlayerCount(state, protocol))) status.players = players;
  // gamedig reports a maximum of 0 players for a game that reports no maximum. Therefore gsq leaves out a maximum of 0.
  if (maxplayers) status.maxplayers = maxplayers;
  const port = Number(/:(\d{1,5})$/.exec(text(state, 'connect'))?.[1]);
  // If the server reports no join port, gamedig reports the queried port as the join port. Therefore gsq leaves out a
  // join port that equals the queried port.
  if (port > 0 && port <= 65535 && port !== queriedPort) status.connectPort = port;
  const unread = UNREAD.get(protocol)?.(field(state, 'raw'));
  return { kind: 'online', status: { ...status, ...unread }, ping: count(state, 'ping') || 0 };
}

/** Returns the game version. gamedig converts a missing version to the text `undefined` or `null`. */
function versionOf(state: unknown): string {
  const version = text(state, 'version');
  return version === 'undefined' || version === 'null' ? '' : version;
}

type UnreadValues = (raw: unknown) => Partial<RawStatus>;

/**
 * Values in the replies that gamedig does not report, or reports wrongly. Keyed by gamedig's name of the protocol. Each
 * function reads the raw reply.
 */
const UNREAD: ReadonlyMap<string, UnreadValues> = new Map<string, UnreadValues>([
  // Source: `PatchModuleServer` of ElDewrito. If the server has a password, its reply contains no player list, but
  // still the number of players.
  ['eldewrito', raw => ({ password: truth(field(raw, 'passworded')), ...playersOf(raw, 'numPlayers') })],
  // gamedig reports as the version a hash of all settings of the server, which changes whenever a script changes one.
  // The field `server` is for example `FXServer-master SERVER v1.0.0.5181 win32`.
  ['fivem', raw => ({ version: /\bv(\d[\d.]*)/.exec(text(field(raw, 'info'), 'server'))?.[1] ?? '' })],
  // Source: `ServerStatusV2` in `TShockAPI/Rest/RestManager.cs` of https://github.com/Pryaxis/TShock.
  [
    'terraria',
    raw => ({
      map: text(raw, 'world'),
      password: truth(field(raw, 'serverpassword')),
      version: text(raw, 'serverversion'),
    }),
  ],
]);

/** Returns the player count of a raw reply; nothing if the reply contains no valid player count. */
function playersOf(raw: unknown, key: string): Pick<RawStatus, 'players'> {
  const players = count(raw, key);
  return players === undefined || Number.isNaN(players) ? {} : { players };
}

/** Matches the URLs in an error text. The query string of a URL is removed, because it can contain a token. */
const URLS = /https?:\/\/[^\s"]*/g;

/**
 * What the prober knows about a failed gamedig query besides the error of gamedig: the secret (password, key or token)
 * that the query used, and the error of the last failed connection.
 */
export interface FailedQuery {
  /**
   * Secret of the game server (password, key or token) that the gamedig query used; empty or undefined if it used no
   * secret.
   */
  secret?: string | undefined;
  /** Error of the last failed connection of the gamedig query; undefined if no connection failed. */
  connection?: ConnectionError | undefined;
}

/**
 * Converts an error of gamedig into a failure, which does not contain the secret of the server. gamedig has no error
 * codes. The kind of failure therefore depends on the error text, or on the error of a failed connection.
 */
export function readError(error: unknown, { secret = '', connection }: FailedQuery = {}): Answer {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // gamedig lists the errors of its attempts in the stack trace. The line `Attempt #1 - Port=… Retry=…:` precedes the
  // first error, sometimes several times in a row. The message of the error is on the next line.
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
 * Converts the error of a TCP connection of gamedig into a failure. Returns undefined if an established connection
 * failed with an unknown error code. The caller then uses the text of gamedig's error.
 */
function brokenConnection({ code, wasConnected }: ConnectionError): Failure | undefined {
  const failure = connectionFailure(code);
  return wasConnected && failure.kind === 'fault' ? undefined : failure;
}

type KnownWords = [RegExp, Failure['kind']][];

/**
 * Returns the failure kind of the first pattern that matches an error text of gamedig. Returns undefined if no pattern
 * matches.
 */
function kindOf(known: KnownWords, words: string): Failure['kind'] | undefined {
  return known.find(([pattern]) => pattern.test(words))?.[1];
}

/**
 * Patterns of gamedig's error texts, each with a kind of failure. A matching pattern takes precedence over the error
 * code of a failed connection, because the error text says more about the cause.
 */
const TOLD: KnownWords = [
  // The prober itself throws an error with this text if gamedig opens a forbidden connection. This pattern must be the
  // first: the text also contains a host name, which could match another pattern.
  [/may not connect/i, 'fault'],
  // This error text means that the HTTP API of a game server refuses to answer without valid credentials. The game
  // server itself runs.
  [/Response code (401|403)\b/, 'needs-credentials'],
  [/Response code (429|5\d\d)\b/, 'directory-unavailable'],
  // These error texts mean that the credentials of a server are missing or wrong. `No token`: the code of a Farming
  // Simulator server is missing. `Invalid status`: the token of a TShock server is missing or refused.
  [/no token|Invalid status/i, 'needs-credentials'],
  // Trackmania and related games report an XML-RPC fault if the login is missing or wrong.
  [/XML-RPC fault: .*(password|permission|login|user)/i, 'needs-credentials'],
];

/**
 * Further patterns of gamedig's error texts, each with a kind of failure. They are used only if neither a pattern of
 * `TOLD` nor the error code of a failed connection shows the kind of failure.
 */
const ERRORS: KnownWords = [
  [/timed out|timeout/i, 'silent'],
  // gamedig uses this error text for every failed TCP connection, so the real cause is unknown.
  [/TCP Connection Refused/, 'fault'],
  [/definition file missing|invalid game/i, 'fault'],
  [/\bE(ACCES|PERM|MFILE|NFILE|NOBUFS|INVAL|NETUNREACH|HOSTUNREACH|AI_AGAIN|NOTFOUND)\b/, 'fault'],
];

/**
 * Protocols for which gamedig reports 0 players if the reply contains no player count. The function of each protocol
 * returns true if the raw reply contains a player count. Source: `protocols/` of gamedig 5.3.3.
 */
const COUNTS_PLAYERS: ReadonlyMap<string, (raw: unknown) => boolean> = new Map([
  ['buildandshoot', raw => field(raw, 'players') !== undefined],
  ['farmingsimulator', raw => /\bnumUsed="\d/.test(String(field(raw, 'data')))],
  ['fivem', raw => field(raw, 'iv') !== undefined || Array.isArray(field(raw, 'players'))],
  ['hytale', raw => field(raw, 'universe') !== undefined],
  // A Satisfactory server reports its player count only over HTTPS. If its HTTPS port is closed, gamedig's result has
  // no property `http`, so the player count is unknown.
  ['satisfactory', raw => field(raw, 'http') !== undefined],
  ['soldat', raw => /Players:\s*\d/.test(String(field(raw, 'response')))],
  ['starmade', raw => typeof list(raw, 'data')[5] === 'number'],
]);

/**
 * True if the server's reply to gamedig contains a player count. Only then does a count of 0 in gamedig's result mean
 * that nobody is on the server.
 */
function hasPlayerCount(state: unknown, protocol: string): boolean {
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
