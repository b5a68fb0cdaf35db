// The status query of Quake 3. Source: `SVC_Status` in code/server/sv_main.c of https://github.com/ioquake/ioq3.
// Source for the replies of the DarkPlaces engine: `NetConn_BuildStatusResponse` in netconn.c of
// https://github.com/DarkPlacesEngine/darkplaces. Source for its characters: `qfont_ascii_table` in console.c.

import { decodeLatin1 } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';
import { describe, type Info, parseInfo, parseStatus, type QuakeDialect, readCount } from './quake-status.ts';
import { decodeCharset } from './quake1.ts';

// The `getstatus` request must not end with a line break after the challenge. DarkPlaces repeats the challenge in its
// reply, where a line break would end the info string too early.
const GETSTATUS = '\xff\xff\xff\xffgetstatus ';
const STATUS_RESPONSE = Buffer.from('\xff\xff\xff\xffstatusResponse\n', 'latin1');
const INFO_RESPONSE = Buffer.from('\xff\xff\xff\xffinfoResponse\n', 'latin1');

/**
 * Matches a player line: `score ping "name"`. Soldier of Fortune 2 and DarkPlaces put the team before the name, Warsow
 * after the name. Medal of Honor omits the score. DarkPlaces sends any text as the score.
 */
const PLAYER_LINE = /^(?:([^ "]+) +)?(-?\d+)(?: +-?\d+)* +"(.*?)"(?: +-?\d+| +"[^"]*")*$/s;
const SCORE = /^-?\d{1,10}$/;

/** Matches the characters of Quake's own font. Games with the DarkPlaces engine, such as Xonotic, use them in names. */
const QUAKE_FONT = /[\ue000-\ue0ff]+/g;

const DIALECT: QuakeDialect = {
  keys: {
    name: ['sv_hostname', 'hostname'],
    map: ['mapname'],
    maxplayers: ['sv_maxclients', 'maxclients'],
    password: ['g_needpass', 'needpass', 'pswrd', 'isprivate'],
    version: ['version', 'gameversion', 'shortversion'],
  },
  needsPassword: value => value !== '0' && value !== '',
  readPlayer: line => {
    const [, score, ping, name] = PLAYER_LINE.exec(line) ?? [];
    if (name === undefined) return undefined;
    const player = score !== undefined && SCORE.test(score) ? { name, score: Number(score) } : { name };
    return { player, ping: Number(ping) };
  },
  decode: decodeName,
  endsEmpty: true, // IW4x and other mods of Call of Duty end the player list with an empty line.
};

function decodeName(latin1: string): string {
  const text = decodeLatin1(latin1);
  // An ASCII string, which `decodeLatin1` returns unchanged, contains no characters of Quake's own font.
  return text === latin1 ? text : text.replace(QUAKE_FONT, decodeCharset);
}

function read(datagram: Buffer, challenge: string): Step {
  if (startsWith(datagram, STATUS_RESPONSE))
    return readStatus(datagram.subarray(STATUS_RESPONSE.length), challenge);
  if (startsWith(datagram, INFO_RESPONSE))
    return readOverflow(datagram.subarray(INFO_RESPONSE.length), challenge);
  // Ignores messages that are not a status reply, such as text for the game's console. Like the status reply, they
  // start with four 0xff bytes.
  const isCut = startsWith(STATUS_RESPONSE, datagram) || startsWith(INFO_RESPONSE, datagram);
  if (datagram.length > 4 && datagram.readInt32LE(0) === -1 && !isCut) return MORE;
  throw new MalformedReply('no statusResponse');
}

function readStatus(body: Buffer, challenge: string): Step {
  const { info, status } = parseStatus(body, DIALECT);
  return isAnothers(info, challenge) ? MORE : { kind: 'done', status };
}

/**
 * Reads the reply that DarkPlaces sends if the player lines do not fit into its buffer. Only the first line of this
 * reply, the info string, is valid.
 */
function readOverflow(body: Buffer, challenge: string): Step {
  const end = body.indexOf(0x0a);
  // Ignores an `infoResponse` without a line end, because it is a reply to `getinfo`, which gsq never sends.
  if (end < 0) return MORE;
  const info = parseInfo(body.toString('latin1', 0, end));
  const players = readCount(info.get('clients'));
  if (players === undefined) throw new MalformedReply('neither players nor their number');
  if (isAnothers(info, challenge)) return MORE;
  const numbots = readCount(info.get('bots')) ?? 0;
  return { kind: 'done', status: { ...describe(info, DIALECT), players, numbots } };
}

/** Returns true if the reply repeats the challenge of another query. Some games repeat no challenge. */
function isAnothers(info: Info, challenge: string): boolean {
  const repeated = info.get('challenge') ?? '';
  return repeated !== '' && repeated !== challenge;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** The protocol of Quake 3 and of games with related engines, such as Call of Duty, Warsow and Xonotic. */
export const quake3: Protocol = {
  transport: 'udp',
  colours: 'caret',
  open: context => {
    const challenge = BigInt.asUintN(64, context.nonce).toString(16);
    return new PingExchange(Buffer.from(GETSTATUS + challenge, 'latin1'), datagram =>
      read(datagram, challenge),
    );
  },
};
