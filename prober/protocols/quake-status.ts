// Parses the status replies of Quake engines. The header of a reply depends on the engine. After the header, all
// engines send an info string (`\key\value` pairs), and then one line for each player.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { MalformedReply } from './protocol.ts';

/** Maximum size of a reply, bytes. It is MAX_MSGLEN of Quake 3, the largest message of all Quake engines. */
const MAX_BYTES = 16384;
const MAX_PLAYERS = 1024;
/**
 * Maximum length of a player line, bytes. This limits the run time of the regular expressions: parsing a reply takes at
 * most 3 ms.
 */
const MAX_LINE = 256;

/**
 * The values of an info string (`\key\value` pairs with the server properties), keyed by the keys of the info string in
 * lower case. The values are not decoded: each character stands for one byte.
 */
export type Info = ReadonlyMap<string, string>;

/**
 * The keys that an info string can use for the fields of a server status. Each field has a list of possible keys. If
 * the info string contains several of them, gsq uses the first one in the list.
 */
export interface InfoKeys {
  name: string[];
  map: string[];
  maxplayers: string[];
  password: string[];
  version: string[];
}

/** A parsed player line of the status reply of a Quake engine. */
export interface PlayerLine {
  player: RawPlayer;
  /** Round-trip time of the player, ms. It is 0 for bots. */
  ping: number;
}

/** Describes how to parse the status replies of one family of Quake games. */
export interface QuakeDialect {
  keys: InfoKeys;
  /** Returns true if players need a password. `value`: value of the password key in the info string. */
  needsPassword: (value: string) => boolean;
  /**
   * Parses a player line. Returns undefined if the line is not a valid player line. Each character of the line, and of
   * the returned name, stands for one byte.
   */
  readPlayer: (line: string) => PlayerLine | undefined;
  /** Decodes a string of the reply. Each character of `latin1` stands for one byte. */
  decode: (latin1: string) => string;
  /** True if some servers of the game family end the player list with an empty line. */
  endsEmpty?: boolean;
}

/**
 * Parses a status reply: the info string `\key\value…`, a line end, and the player lines. Throws MalformedReply if the
 * reply is invalid or truncated.
 */
export function parseStatus(body: Buffer, dialect: QuakeDialect): { info: Info; status: RawStatus } {
  const [infoLine = '', ...lines] = splitLines(body);
  if (dialect.endsEmpty && lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_PLAYERS) throw new MalformedReply(`${lines.length} players`);
  const players = lines.map(line => {
    const read = line.length <= MAX_LINE ? dialect.readPlayer(line) : undefined;
    if (!read) throw new MalformedReply(`no player line: ${JSON.stringify(line.slice(0, 40))}`);
    read.player.name = dialect.decode(read.player.name);
    return read;
  });
  const info = parseInfo(infoLine);
  const status: RawStatus = {
    ...describe(info, dialect),
    players: players.length,
    numbots: players.filter(player => player.ping === 0).length,
    playerList: players.map(player => player.player),
  };
  return { info, status };
}

/** Builds a status from the info string. Throws MalformedReply if the info string has no number of player slots. */
export function describe(info: Info, dialect: QuakeDialect): Omit<RawStatus, 'players'> {
  const { keys, decode } = dialect;
  const maxplayers = readCount(pick(info, keys.maxplayers));
  if (maxplayers === undefined) throw new MalformedReply(`no ${keys.maxplayers[0]}`);
  const described: Omit<RawStatus, 'players'> = {
    name: decode(pick(info, keys.name) ?? ''),
    map: decode(pick(info, keys.map) ?? ''),
    maxplayers,
  };
  const password = pick(info, keys.password);
  if (password !== undefined) described.password = dialect.needsPassword(password);
  const version = pick(info, keys.version);
  if (version !== undefined) described.version = decode(version);
  return described;
}

/** Parses an info string. Throws MalformedReply if the string does not consist of `\key\value` pairs. */
export function parseInfo(line: string): Info {
  const fields = line.split('\\');
  if (fields[0] !== '' || fields.length < 3 || fields.length % 2 === 0) {
    throw new MalformedReply('the info string is not made of \\key\\value');
  }
  const info = new Map<string, string>();
  for (let i = 1; i + 1 < fields.length; i += 2)
    info.set((fields[i] ?? '').toLowerCase(), fields[i + 1] ?? '');
  return info;
}

/** Parses a count of one to nine decimal digits. Returns undefined if the string has a different form or is missing. */
export function readCount(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/**
 * Splits a reply into lines, as Latin-1: each character stands for one byte. Strings are decoded only after parsing,
 * because a decoded character can look like syntax. They are decoded one by one, so that one invalid string does not
 * change the others.
 */
function splitLines(body: Buffer): string[] {
  if (body.length > MAX_BYTES)
    throw new MalformedReply(`${body.length} bytes, more than the engine can send`);
  let end = body.length;
  while (end > 0 && body[end - 1] === 0) end--;
  // Every line of a reply ends with a line feed. If the last line has no line feed, the reply is truncated.
  if (end === 0 || body[end - 1] !== 0x0a) throw new MalformedReply('cut short: the last line does not end');
  return body.toString('latin1', 0, end - 1).split('\n');
}

function pick(info: Info, keys: string[]): string | undefined {
  const key = keys.find(name => info.has(name));
  return key === undefined ? undefined : info.get(key);
}
