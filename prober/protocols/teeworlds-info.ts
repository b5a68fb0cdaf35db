// The server infos of Teeworlds: `CacheServerInfo` and `CacheServerInfoSixup` in src/engine/server/server.cpp of
// https://github.com/ddnet/ddnet, which tells them in the ways of 0.6, of 0.7 and its own.

import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import type { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** More than any server has room for. */
const MAX_CLIENTS = 1024;
const PASSWORD_FLAG = 1;
const BOT_FLAG = 2;
const WHOLE = /^-?\d{1,10}$/;

/** The part that comes first, without the players behind it. */
function status(name: string, map: string, version: string, flags: number, counts: Counts): CountedStatus {
  const { clients, maxclients } = counts;
  if (clients < 0 || clients > MAX_CLIENTS || maxclients < 0) throw new MalformedReply(`${clients} clients`);
  const password = (flags & PASSWORD_FLAG) !== 0;
  return { name, map, version, password, players: clients, maxplayers: maxclients };
}

interface Counts {
  clients: number;
  maxclients: number;
}

/** The info of 0.6, where a server for more than 16 hides some. Throws MalformedReply. */
export function parseVanilla(reader: ByteReader): RawStatus {
  const version = reader.cstring();
  const name = reader.cstring();
  const map = reader.cstring();
  reader.cstring(); // game type
  const flags = decimal(reader);
  const read = status(name, map, version, flags, readDecimalCounts(reader));
  const playerList = readEntries(reader, () => readDecimalPlayer(reader));
  return withList(read, playerList);
}

/** DDNet's info; its list of players may go on in further packets. Throws MalformedReply. */
export function parseExtended(reader: ByteReader): { status: CountedStatus; players: RawPlayer[] } {
  const version = reader.cstring();
  const name = reader.cstring();
  const map = reader.cstring();
  decimal(reader); // the map's checksum
  decimal(reader); // and size
  reader.cstring(); // game type
  const flags = decimal(reader);
  const counts = readDecimalCounts(reader);
  reader.cstring(); // reserved
  return {
    status: status(name, map, version, flags, counts),
    players: readExtendedPlayers(reader),
  };
}

/** A further packet of DDNet's info: its number, and players. Throws MalformedReply. */
export function parseExtendedMore(reader: ByteReader): { number: number; players: RawPlayer[] } {
  const number = decimal(reader);
  reader.cstring(); // reserved
  return { number, players: readExtendedPlayers(reader) };
}

/** The info of 0.7, its numbers packed. Throws MalformedReply. */
export function parseSeven(reader: ByteReader): RawStatus {
  const version = reader.cstring();
  const name = reader.cstring();
  reader.cstring(); // host name
  const map = reader.cstring();
  reader.cstring(); // game type
  const flags = readPacked(reader);
  readPacked(reader); // skill level
  readPacked(reader); // clients that play
  readPacked(reader); // and their places
  const counts = { clients: readPacked(reader), maxclients: readPacked(reader) };
  let numbots = 0;
  const playerList = readEntries(reader, () => {
    const player = reader.cstring();
    reader.cstring(); // clan
    readPacked(reader); // country
    const score = readPacked(reader);
    if ((readPacked(reader) & BOT_FLAG) !== 0) numbots++;
    return { name: player, score };
  });
  return { ...withList(status(name, map, version, flags, counts), playerList), numbots };
}

/**
 * A list is whole, or left out by a server that is asked too often; anything between was cut. It may be longer
 * than said, since a server with more clients than 0.6 knows says fewer.
 */
function withList(read: CountedStatus, playerList: RawPlayer[]): RawStatus {
  if (playerList.length === 0) return read;
  if (playerList.length < read.players)
    throw new MalformedReply(`${playerList.length} of ${read.players} clients`);
  return { ...read, playerList };
}

function readExtendedPlayers(reader: ByteReader): RawPlayer[] {
  return readEntries(reader, () => {
    const player = readDecimalPlayer(reader);
    reader.cstring(); // reserved
    return player;
  });
}

function readDecimalPlayer(reader: ByteReader): RawPlayer {
  const name = reader.cstring();
  reader.cstring(); // clan
  decimal(reader); // country
  const score = decimal(reader);
  decimal(reader); // plays or watches
  return { name, score };
}

function readEntries(reader: ByteReader, read: () => RawPlayer): RawPlayer[] {
  const players: RawPlayer[] = [];
  while (reader.remaining > 0) {
    if (players.length === MAX_CLIENTS) throw new MalformedReply(`more than ${MAX_CLIENTS} clients`);
    players.push(read());
  }
  return players;
}

/** Those who play, their places, and with those who watch. */
function readDecimalCounts(reader: ByteReader): Counts {
  decimal(reader);
  decimal(reader);
  return { clients: decimal(reader), maxclients: decimal(reader) };
}

/** A number as text. Throws MalformedReply. */
export function decimal(reader: ByteReader): number {
  const text = reader.cstring();
  if (!WHOLE.test(text)) throw new MalformedReply(`no number: ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}

/**
 * A number in one to five bytes: a bit that says whether more follow, in the first a sign, then the value from its
 * low end. `CVariableInt` in src/engine/shared/compression.cpp. Throws MalformedReply.
 */
export function readPacked(reader: ByteReader): number {
  const first = reader.u8();
  let value = first & 0x3f;
  for (let shift = 6, byte = first; byte & 0x80; shift += 7) {
    if (shift > 27) throw new MalformedReply('a number of more than five bytes');
    byte = reader.u8();
    // The fifth has room for the four bits that are left; more would turn the sign.
    value |= (byte & (shift < 27 ? 0x7f : 0x0f)) << shift;
  }
  return first & 0x40 ? ~value : value;
}
