// The common part of status replies of Quake engines: an info string, then a line for each player.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Longest reply, bytes: Quake 3's MAX_MSGLEN, the longest message of the family. */
const MAX_BYTES = 16384;
const MAX_PLAYERS = 1024;
/** Longest accepted line. It bounds the cost of the patterns: a reply full of the worst lines takes 3 ms. */
const MAX_LINE = 256;

/** The info string, by keys in lower case. */
export type Info = ReadonlyMap<string, string>;

/** The keys of a game's facts; for each fact the first key that is present counts. */
export interface InfoKeys {
  name: string[];
  map: string[];
  maxplayers: string[];
  password: string[];
  version: string[];
}

export interface PlayerLine {
  player: RawPlayer;
  /** Round trip of the player, ms; 0 for bots. */
  ping: number;
}

/** How to read one kind of reply. Throws MalformedReply for a player line of another form. */
export interface QuakeDialect {
  keys: InfoKeys;
  /** Returns whether the value of the password key means that players need a password. */
  needsPassword: (value: string) => boolean;
  /** Reads a player line; undefined if the line is not one. */
  readPlayer: (line: string) => PlayerLine | undefined;
  decode?: (bytes: Buffer) => string;
  /** True if some servers end the player list with an empty line. */
  endsEmpty?: boolean;
}

/** Reads `\key\value…`, a line end, and the lines of the players. Throws MalformedReply. */
export function parseStatus(body: Buffer, dialect: QuakeDialect): { info: Info; status: RawStatus } {
  const [infoLine = '', ...lines] = splitLines(body, dialect.decode ?? decodeText);
  if (dialect.endsEmpty && lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_PLAYERS) throw new MalformedReply(`${lines.length} players`);
  const players = lines.map(line => {
    const read = line.length <= MAX_LINE ? dialect.readPlayer(line) : undefined;
    if (!read) throw new MalformedReply(`no player line: ${JSON.stringify(line.slice(0, 40))}`);
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

/** Builds the status from the info string. Throws MalformedReply if it holds no number of slots. */
export function describe(info: Info, dialect: QuakeDialect): Omit<RawStatus, 'players'> {
  const { keys } = dialect;
  const maxplayers = readCount(pick(info, keys.maxplayers));
  if (maxplayers === undefined) throw new MalformedReply(`no ${keys.maxplayers[0]}`);
  const described: Omit<RawStatus, 'players'> = {
    name: pick(info, keys.name) ?? '',
    map: pick(info, keys.map) ?? '',
    maxplayers,
  };
  const password = pick(info, keys.password);
  if (password !== undefined) described.password = dialect.needsPassword(password);
  const version = pick(info, keys.version);
  if (version !== undefined) described.version = version;
  return described;
}

/** Parses an info string. Throws MalformedReply. */
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

/** Reads a count as the engines print it; undefined for anything else. */
export function readCount(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function splitLines(body: Buffer, decode: (bytes: Buffer) => string): string[] {
  if (body.length > MAX_BYTES)
    throw new MalformedReply(`${body.length} bytes, more than the engine can send`);
  let end = body.length;
  while (end > 0 && body[end - 1] === 0) end--;
  // Engines end every line, so a reply whose last line has no end was cut on its way.
  if (end === 0 || body[end - 1] !== 0x0a) throw new MalformedReply('cut short: the last line does not end');
  return decode(body.subarray(0, end - 1)).split('\n');
}

function pick(info: Info, keys: string[]): string | undefined {
  const key = keys.find(name => info.has(name));
  return key === undefined ? undefined : info.get(key);
}
