// Doom 3's info query: `ProcessGetInfoMessage` in neo/framework/async/AsyncServer.cpp of
// https://github.com/id-Software/DOOM-3. The engine's heirs lay the players out otherwise, as
// https://github.com/Unity-Technologies/qstat (doom3.c) knows them.

import type { RawPlayer, RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { PingExchange } from './ping-exchange.ts';
import { MalformedReply, MORE, type Protocol, type Step } from './protocol.ts';

const CONNECTIONLESS = 0xffff;
const GET_INFO = Buffer.from('\xff\xffgetInfo\0', 'latin1');
const INFO_RESPONSE = Buffer.from('\xff\xffinfoResponse\0', 'latin1');
/** Doom 3 repeats four bytes of what was asked with, Quake Wars eight. */
const NUMBER_BYTES = 4;

/** The engine's MAX_MESSAGE_SIZE. */
const MAX_BYTES = 16384;
const MAX_FIELDS = 1024;
/** The engine's MAX_ASYNC_CLIENTS, which also ends the list. */
const MAX_CLIENTS = 32;
/** The mask of operating systems behind the list; Quake Wars has more behind it. */
const MASK_BYTES = 4;

/** What a player's entry has beside number, ping and name. */
interface Layout {
  rate: boolean;
  clan: boolean;
  /** Before the clan: whether it goes before or behind the name. */
  clanPlace: boolean;
  /** Whether it is a bot. */
  type: boolean;
}

const DOOM3: Layout = { rate: true, clan: false, clanPlace: false, type: false };
const QUAKE4: Layout = { rate: true, clan: true, clanPlace: false, type: false };
const WOLFENSTEIN: Layout = { rate: true, clan: true, clanPlace: true, type: true };
const QUAKE_WARS: Layout = { rate: false, clan: true, clanPlace: true, type: true };

/** Of these the first that comes out even: the versions of the protocol are not known to tell them apart. */
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
  // Not an answer to this question: an earlier one's, or a stranger's guess.
  if (!reply.bytes(NUMBER_BYTES).equals(number.subarray(0, NUMBER_BYTES))) return MORE;
  const at = datagram.length - reply.remaining;
  if (datagram.subarray(at, at + NUMBER_BYTES).equals(number.subarray(NUMBER_BYTES)))
    reply.skip(NUMBER_BYTES);
  return { kind: 'done', status: parseInfo(reply, datagram) };
}

function parseInfo(reply: ByteReader, datagram: Buffer): RawStatus {
  const version = reply.u32();
  // Quake Wars says how long the rest is, where others begin with a key: its upper half has to be zero.
  const at = datagram.length - reply.remaining;
  if (reply.remaining >= 4 && datagram.readUInt16LE(at + 2) === 0) reply.skip(4);
  const info = readFields(reply);
  const maxplayers = info.get('si_maxplayers') ?? '';
  if (!/^\d{1,9}$/.test(maxplayers)) throw new MalformedReply('no si_maxPlayers');
  const tail = datagram.subarray(datagram.length - reply.remaining);
  const { playerList, numbots } = readPlayers(tail, isQuakeWars(info) ? [QUAKE_WARS] : LAYOUTS);
  const major = (version >>> 16) & 0x7fff; // the highest bit is a flag
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

/** Keys in lower case: the games do not agree on them. */
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

/** Told by the version, for mods change the name of the game. */
function isQuakeWars(info: ReadonlyMap<string, string>): boolean {
  return (info.get('si_version') ?? '').startsWith('ETQW');
}

interface Players {
  playerList: RawPlayer[];
  numbots: number;
  /** Bytes behind the mask. */
  spare: number;
}

function readPlayers(tail: Buffer, layouts: Layout[]): Players {
  const readings = layouts.map(layout => readLaidOut(tail, layout)).filter(reading => reading !== undefined);
  const players = readings.find(reading => reading.spare === 0) ?? readings[0];
  if (!players) throw new MalformedReply('a list of players that does not come out even');
  return players;
}

/** Undefined where the layout is not this. */
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
    reader.skip(2); // ping
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

/** Doom 3, Quake 4, Prey, Wolfenstein, Enemy Territory: Quake Wars. None tells scores. */
export const doom3: Protocol = {
  transport: 'udp',
  colours: 'caret',
  open: context => {
    const number = Buffer.alloc(2 * NUMBER_BYTES);
    number.writeBigUInt64BE(BigInt.asUintN(64, context.nonce));
    // The zero byte is what every known client puts behind.
    const question = Buffer.concat([GET_INFO, number, Buffer.alloc(1)]);
    return new PingExchange(question, datagram => read(datagram, number));
  },
};
