// The info query of Doom 3 and of other games with the same engine. Source of the query: `ProcessGetInfoMessage` in
// neo/framework/async/AsyncServer.cpp of https://github.com/id-Software/DOOM-3. The player lists of the other games
// contain other fields. Source of these fields: doom3.c of https://github.com/Unity-Technologies/qstat.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

const CONNECTIONLESS = 0xffff;
const GET_INFO = Buffer.from('\xff\xffgetInfo\0', 'latin1');
const INFO_RESPONSE = Buffer.from('\xff\xffinfoResponse\0', 'latin1');
/** A Doom 3 server repeats this many bytes of gsq's random number. A Quake Wars server repeats twice as many. */
const NUMBER_BYTES = 4;

/** Maximum size of a Doom 3 reply, bytes. It is MAX_MESSAGE_SIZE of the game engine. */
const MAX_BYTES = 16384;
const MAX_FIELDS = 1024;
/**
 * Maximum number of players on a Doom 3 server (MAX_ASYNC_CLIENTS of the game engine). In a reply, this number marks
 * the end of the player list.
 */
const MAX_CLIENTS = 32;
/** Size of the bit mask of operating systems, bytes. It follows the player list of a Doom 3 reply. */
const MASK_BYTES = 4;

/**
 * Says which optional fields an entry of the player list contains. Each entry also contains a client number, a ping and
 * a name.
 */
interface Layout {
  /** True if each player entry of a Doom 3 reply contains the data rate of the player. */
  rate: boolean;
  /** True if each player entry of a Doom 3 reply contains the clan tag of the player. */
  clan: boolean;
  /**
   * True if each player entry contains a byte before the clan tag. This byte specifies whether the game shows the tag
   * before or after the player name.
   */
  clanPlace: boolean;
  /** True if each player entry of a Doom 3 reply specifies whether the player is a bot. */
  type: boolean;
}

const DOOM3: Layout = { rate: true, clan: false, clanPlace: false, type: false };
const QUAKE4: Layout = { rate: true, clan: true, clanPlace: false, type: false };
const WOLFENSTEIN: Layout = { rate: true, clan: true, clanPlace: true, type: true };
const QUAKE_WARS: Layout = { rate: false, clan: true, clanPlace: true, type: true };

/**
 * Possible layouts of the player list, except that of Quake Wars. A reply does not say which layout it has, so gsq
 * tries all layouts and prefers one that leaves no byte unread.
 */
const LAYOUTS = [DOOM3, QUAKE4, WOLFENSTEIN];

function read(datagram: Buffer, number: Buffer): Step {
  const start = datagram.subarray(0, INFO_RESPONSE.length);
  if (!start.equals(INFO_RESPONSE)) {
    const isMessage = datagram.length > 2 && datagram.readUInt16LE(0) === CONNECTIONLESS;
    const isCut = INFO_RESPONSE.subarray(0, datagram.length).equals(datagram);
    if (isMessage && !isCut) return MORE;
    throw new MalformedReply('no infoResponse');
  }
  if (datagram.length > MAX_BYTES)
    throw new MalformedReply(`${datagram.length} bytes, more than the engine can send`);
  const reply = new ByteReader(datagram, INFO_RESPONSE.length);
  // Ignores late replies to an earlier request, and forged replies: they do not repeat the random number of this
  // request.
  if (!reply.bytes(NUMBER_BYTES).equals(number.subarray(0, NUMBER_BYTES))) return MORE;
  const at = datagram.length - reply.remaining;
  if (datagram.subarray(at, at + NUMBER_BYTES).equals(number.subarray(NUMBER_BYTES)))
    reply.skip(NUMBER_BYTES);
  return { kind: 'done', status: parseInfo(reply, datagram) };
}

function parseInfo(reply: ByteReader, datagram: Buffer): RawStatus {
  const version = reply.u32();
  // Quake Wars sends a 32-bit length before the settings. Its upper two bytes are zero, so it cannot be the name of a
  // setting.
  const at = datagram.length - reply.remaining;
  if (reply.remaining >= 4 && datagram.readUInt16LE(at + 2) === 0) reply.skip(4);
  const info = readFields(reply);
  const maxplayers = info.get('si_maxplayers') ?? '';
  if (!/^\d{1,9}$/.test(maxplayers)) throw new MalformedReply('no si_maxPlayers');
  const tail = datagram.subarray(datagram.length - reply.remaining);
  const { playerList, numbots } = readPlayers(tail, isQuakeWars(info) ? [QUAKE_WARS] : LAYOUTS);
  const major = (version >>> 16) & 0x7fff; // Removes the highest bit, which is a flag.
  return {
    name: info.get('si_name') ?? '',
    map: (info.get('si_map') ?? '').replace(/^maps\//, '').replace(/\.entities$/, ''),
    players: playerList.length,
    maxplayers: Number(maxplayers),
    numbots,
    password: [info.get('si_usepass'), info.get('si_needpass')].includes('1'),
    version: info.get('si_version') || `${major}.${version & 0xffff}`,
    playerList,
  };
}

/**
 * Reads the keys and values of a Doom 3 info reply. Converts keys to lower case, because games write the same key in
 * different cases.
 */
function readFields(reply: ByteReader): ReadonlyMap<string, string> {
  const info = new Map<string, string>();
  for (let i = 0; i < MAX_FIELDS; i++) {
    const key = reply.cstring();
    const value = reply.cstring();
    if (key === '' && value === '') return info;
    info.set(key.toLowerCase(), value);
  }
  throw new MalformedReply(`more than ${MAX_FIELDS} fields`);
}

/** Recognises Quake Wars by its version text, because mods of Quake Wars change the name of the game. */
function isQuakeWars(info: ReadonlyMap<string, string>): boolean {
  return (info.get('si_version') ?? '').startsWith('ETQW');
}

interface Players {
  playerList: RawPlayer[];
  numbots: number;
  /** Number of unread bytes at the end of the reply. It is zero if the layout of the player list is right. */
  spare: number;
}

function readPlayers(tail: Buffer, layouts: Layout[]): Players {
  const readings = layouts.map(layout => readLaidOut(tail, layout)).filter(reading => reading !== undefined);
  const players = readings.find(reading => reading.spare === 0) ?? readings[0];
  if (!players) throw new MalformedReply('a list of players that does not come out even');
  return players;
}

/** Reads a player list with the given layout. Returns undefined if the bytes do not match the layout. */
function readLaidOut(tail: Buffer, layout: Layout): Players | undefined {
  try {
    return readEntries(new ByteReader(tail), layout);
  } catch (error) {
    if (error instanceof MalformedReply) return undefined;
    throw error;
  }
}

function readEntries(reader: ByteReader, layout: Layout): Players {
  const playerList: RawPlayer[] = [];
  let numbots = 0;
  let last = -1;
  for (;;) {
    const client = reader.u8();
    if (client === MAX_CLIENTS) break;
    if (client <= last || client > MAX_CLIENTS) throw new MalformedReply(`client ${client} behind ${last}`);
    last = client;
    reader.skip(2); // unused field: ping
    if (layout.rate) reader.skip(4);
    const name = reader.cstring();
    if (layout.clanPlace) reader.skip(1);
    if (layout.clan) reader.cstring();
    if (layout.type && reader.u8() === 1) numbots++;
    playerList.push({ name });
  }
  reader.skip(MASK_BYTES);
  return { playerList, numbots, spare: reader.remaining };
}

/**
 * The protocol of Doom 3, Quake 4, Prey, Wolfenstein and Enemy Territory: Quake Wars. The replies contain no scores of
 * players.
 */
export const doom3: Protocol = {
  transport: 'udp',
  colours: 'caret',
  open: context => {
    const number = Buffer.alloc(2 * NUMBER_BYTES);
    number.writeBigUInt64BE(BigInt.asUintN(64, context.nonce));
    // Ends the info request with a zero byte, because every known client of the game sends this byte.
    const question = Buffer.concat([GET_INFO, number, Buffer.alloc(1)]);
    return new PingExchange(question, datagram => read(datagram, number));
  },
};
