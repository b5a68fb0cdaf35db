// Parses the server infos of Teeworlds: `CacheServerInfo` and `CacheServerInfoSixup` in
// src/engine/server/server.cpp of https://github.com/ddnet/ddnet, which sends the formats of 0.6, of 0.7 and
// of DDNet.

import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import type { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** More clients than any server has room for. */
const MAX_CLIENTS = 1024;
const PASSWORD_FLAG = 1;
const BOT_FLAG = 2;
const WHOLE = /^-?\d{1,10}$/;

/** Builds the status from the fields before the player list. */
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

/** Parses the info of 0.6, in which a server for more than 16 clients hides some. Throws MalformedReply. */
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

/** Parses DDNet's info; its player list may continue in further packets. Throws MalformedReply. */
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

/** Parses a further packet of DDNet's info: its number, and players. Throws MalformedReply. */
export function parseExtendedMore(reader: ByteReader): { number: number; players: RawPlayer[] } {
  const number = decimal(reader);
  reader.cstring(); // reserved
  return { number, players: readExtendedPlayers(reader) };
}

/** Parses the info of 0.7, whose numbers are packed. Throws MalformedReply. */
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
 * Adds the player list. A list shorter than the count was cut, unless it is empty: servers that are asked too
 * often leave it out. A list may be longer, because a server with more clients than 0.6 allows reports fewer.
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

/** Reads the counts: players and their slots, then clients and theirs. */
function readDecimalCounts(reader: ByteReader): Counts {
  decimal(reader);
  decimal(reader);
  return { clients: decimal(reader), maxclients: decimal(reader) };
}

/** Reads a number that is written as text. Throws MalformedReply. */
export function decimal(reader: ByteReader): number {
  const text = reader.cstring();
  if (!WHOLE.test(text)) throw new MalformedReply(`no number: ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}

/**
 * Reads a number of one to five bytes: in each byte one bit says whether more follow, the first has a sign
 * bit, and the low bits come first. `CVariableInt` in src/engine/shared/compression.cpp. Throws
 * MalformedReply.
 */
export function readPacked(reader: ByteReader): number {
  const first = reader.u8();
  let value = first & 0x3f;
  for (let shift = 6, byte = first; byte & 0x80; shift += 7) {
    if (shift > 27) throw new MalformedReply('a number of more than five bytes');
    byte = reader.u8();
    // The fifth byte may only hold the remaining four bits; more would change the sign.
    value |= (byte & (shift < 27 ? 0x7f : 0x0f)) << shift;
  }
  return first & 0x40 ? ~value : value;
}
