// What the status replies of Quake's engines have in common: an info string, then a line for each player.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Quake 3's MAX_MSGLEN, the longest message any of the family builds. */
const MAX_BYTES = 16384;
const MAX_PLAYERS = 1024;
/** Bounds what the patterns for players cost: a reply full of the worst lines takes 3 ms. */
const MAX_LINE = 256;

/** Keys are in lower case. */
export type Info = ReadonlyMap<string, string>;

/** What a game calls the facts; the first key of each that is there counts. */
export interface InfoKeys {
  name: string[];
  map: string[];
  maxplayers: string[];
  password: string[];
  version: string[];
}

export interface PlayerLine {
  player: RawPlayer;
  /** ms; 0 for what runs inside the server. */
  ping: number;
}

/** Takes one kind of reply apart. Throws MalformedReply for a player line of another form. */
export interface QuakeDialect {
  keys: InfoKeys;
  /** Whether the password's key, when it is there, says that players need one. */
  needsPassword: (value: string) => boolean;
  /** Undefined where the line is none. */
  readPlayer: (line: string) => PlayerLine | undefined;
  decode?: (bytes: Buffer) => string;
  /** Some servers end the list of players with an empty line. */
  endsEmpty?: boolean;
}

/** Reads `\key\value…`, a line's end, and the players' lines. Throws MalformedReply. */
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

/** All the info string tells. Throws MalformedReply when it names no number of places. */
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

/** Throws MalformedReply. */
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

/** A count as the engines print it, else undefined. */
export function readCount(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function splitLines(body: Buffer, decode: (bytes: Buffer) => string): string[] {
  if (body.length > MAX_BYTES)
    throw new MalformedReply(`${body.length} bytes, more than the engine can send`);
  let end = body.length;
  while (end > 0 && body[end - 1] === 0) end--;
  // The engines end every line, the last too: a reply without that was cut on its way.
  if (end === 0 || body[end - 1] !== 0x0a) throw new MalformedReply('cut short: the last line does not end');
  return decode(body.subarray(0, end - 1)).split('\n');
}

function pick(info: Info, keys: string[]): string | undefined {
  const key = keys.find(name => info.has(name));
  return key === undefined ? undefined : info.get(key);
}
