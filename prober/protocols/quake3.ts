// Quake 3's status query: `SVC_Status` in code/server/sv_main.c of https://github.com/ioquake/ioq3, and
// DarkPlaces' answer to it: `NetConn_BuildStatusResponse` in netconn.c of
// https://github.com/DarkPlacesEngine/darkplaces

import { decodeText } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';
import { describe, type Info, parseInfo, parseStatus, type QuakeDialect, readCount } from './quake-status.ts';

// No line end follows the challenge: DarkPlaces would repeat it and end its info string there.
const GETSTATUS = '\xff\xff\xff\xffgetstatus ';
const STATUS_RESPONSE = Buffer.from('\xff\xff\xff\xffstatusResponse\n', 'latin1');
const INFO_RESPONSE = Buffer.from('\xff\xff\xff\xffinfoResponse\n', 'latin1');

/**
 * Matches `score ping "name"`. Soldier of Fortune 2 and DarkPlaces put the team before the name, Warsow after
 * it; mods put an address or id there. MOHAA omits the score, and DarkPlaces sends whatever the game calls a
 * score.
 */
const PLAYER_LINE = /^(?:([^\s"]+) +)?(-?\d+)(?: +-?\d+)* +"(.*?)"(?: +-?\d+| +"[^"]*")*$/;
const SCORE = /^-?\d{1,10}$/;

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
  endsEmpty: true, // IW4x and other mods of Call of Duty
};

function read(datagram: Buffer, challenge: string): Step {
  if (startsWith(datagram, STATUS_RESPONSE))
    return readStatus(datagram.subarray(STATUS_RESPONSE.length), challenge);
  if (startsWith(datagram, INFO_RESPONSE))
    return readOverflow(datagram.subarray(INFO_RESPONSE.length), challenge);
  // Servers of this family send prints and other messages in the same envelope.
  const isCut = startsWith(STATUS_RESPONSE, datagram) || startsWith(INFO_RESPONSE, datagram);
  if (datagram.length > 4 && datagram.readInt32LE(0) === -1 && !isCut) return MORE;
  throw new MalformedReply('no statusResponse');
}

function readStatus(body: Buffer, challenge: string): Step {
  const { info, status } = parseStatus(body, DIALECT);
  return isAnothers(info, challenge) ? MORE : { kind: 'done', status };
}

/**
 * Reads what DarkPlaces sends if the player lines exceed its buffer: the line of the info string, and odd
 * bytes.
 */
function readOverflow(body: Buffer, challenge: string): Step {
  const end = body.indexOf(0x0a);
  if (end < 0) return MORE; // nobody asked for this: what `getinfo` is answered with has one line and no end
  const info = parseInfo(decodeText(body.subarray(0, end)));
  const players = readCount(info.get('clients'));
  if (players === undefined) throw new MalformedReply('neither players nor their number');
  if (isAnothers(info, challenge)) return MORE;
  const numbots = readCount(info.get('bots')) ?? 0;
  return { kind: 'done', status: { ...describe(info, DIALECT), players, numbots } };
}

/** True if the reply repeats a challenge that is not ours. Not every game repeats it. */
function isAnothers(info: Info, challenge: string): boolean {
  const repeated = info.get('challenge') ?? '';
  return repeated !== '' && repeated !== challenge;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** The protocol of Quake 3 and related engines: Call of Duty, Warsow, Xonotic and many more. */
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
