// Parses the server info of Teeworlds in three formats: Teeworlds 0.6, Teeworlds 0.7, and DDNet (a mod of Teeworlds).
// Source: `CacheServerInfo` and `CacheServerInfoSixup` in src/engine/server/server.cpp of
// https://github.com/ddnet/ddnet.

import type { CountedStatus, RawPlayer, RawStatus } from '../answers/raw-status.ts';
import type { ByteReader } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** A reply with more clients than this is rejected. Real servers allow far fewer clients. */
const MAX_CLIENTS = 1024;
const PASSWORD_FLAG = 1;
const BOT_FLAG = 2;
const WHOLE = /^-?\d{1,10}$/;

/** Builds the status of a Teeworlds server, without its player list. */
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

/**
 * Parses the server info of Teeworlds 0.6. A server for more than 16 clients lists only some of its clients in this
 * format. Throws MalformedReply if the info is invalid.
 */
export function parseVanilla(reader: ByteReader): RawStatus {
  const version = reader.cstring();
  const name = reader.cstring();
  const map = reader.cstring();
  reader.cstring(); // unused field: game type
  const flags = decimal(reader);
  const read = status(name, map, version, flags, readDecimalCounts(reader));
  const playerList = readEntries(reader, () => readDecimalPlayer(reader));
  return withList(read, playerList);
}

/**
 * Parses the first packet of DDNet's info. The player list can continue in later packets. Throws MalformedReply if the
 * packet is invalid.
 */
export function parseExtended(reader: ByteReader): { status: CountedStatus; players: RawPlayer[] } {
  const version = reader.cstring();
  const name = reader.cstring();
  const map = reader.cstring();
  decimal(reader); // unused field: checksum of the map
  decimal(reader); // unused field: size of the map
  reader.cstring(); // unused field: game type
  const flags = decimal(reader);
  const counts = readDecimalCounts(reader);
  reader.cstring(); // unused field: reserved by the protocol
  return {
    status: status(name, map, version, flags, counts),
    players: readExtendedPlayers(reader),
  };
}

/**
 * Parses a later packet of DDNet's info. The packet contains a packet number and the next players of the list. Throws
 * MalformedReply if the packet is invalid.
 */
export function parseExtendedMore(reader: ByteReader): { number: number; players: RawPlayer[] } {
  const number = decimal(reader);
  reader.cstring(); // unused field: reserved by the protocol
  return { number, players: readExtendedPlayers(reader) };
}

/**
 * Parses the info of Teeworlds 0.7, in which all numbers are packed (see `readPacked`). Throws MalformedReply if the
 * info is invalid.
 */
export function parseSeven(reader: ByteReader): RawStatus {
  const version = reader.cstring();
  const name = reader.cstring();
  reader.cstring(); // unused field: host name
  const map = reader.cstring();
  reader.cstring(); // unused field: game type
  const flags = readPacked(reader);
  readPacked(reader); // unused field: skill level
  readPacked(reader); // unused field: number of clients that play
  readPacked(reader); // unused field: slots for clients that play
  const counts = { clients: readPacked(reader), maxclients: readPacked(reader) };
  let numbots = 0;
  const playerList = readEntries(reader, () => {
    const player = reader.cstring();
    reader.cstring(); // unused field: clan
    readPacked(reader); // unused field: country
    const score = readPacked(reader);
    if ((readPacked(reader) & BOT_FLAG) !== 0) numbots++;
    return { name: player, score };
  });
  return { ...withList(status(name, map, version, flags, counts), playerList), numbots };
}

/**
 * Adds the player list to a status. An overloaded server sends a player count but no players. Therefore an empty list
 * is left out. Any other list that is shorter than the player count is an error: throws MalformedReply.
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
    reader.cstring(); // unused field: reserved by the protocol
    return player;
  });
}

function readDecimalPlayer(reader: ByteReader): RawPlayer {
  const name = reader.cstring();
  reader.cstring(); // unused field: clan
  decimal(reader); // unused field: country
  const score = decimal(reader);
  decimal(reader); // unused field: player or spectator
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

/**
 * Reads four numbers: players, player slots, clients and client slots. Returns the last two. Clients are players and
 * spectators.
 */
function readDecimalCounts(reader: ByteReader): Counts {
  decimal(reader);
  decimal(reader);
  return { clients: decimal(reader), maxclients: decimal(reader) };
}

/** Reads a number that is sent as decimal text. Throws MalformedReply if the string is not a whole number. */
export function decimal(reader: ByteReader): number {
  const text = reader.cstring();
  if (!WHOLE.test(text)) throw new MalformedReply(`no number: ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}

/**
 * Reads a packed number of one to five bytes. Bit 7 of a byte means that another byte follows. Bit 6 of the first byte
 * is the sign. Throws MalformedReply if the number is incomplete or too long. Source: `CVariableInt` in
 * src/engine/shared/compression.cpp.
 */
export function readPacked(reader: ByteReader): number {
  const first = reader.u8();
  let value = first & 0x3f;
  for (let shift = 6, byte = first; byte & 0x80; shift += 7) {
    if (shift > 27) throw new MalformedReply('a number of more than five bytes');
    byte = reader.u8();
    // Only the low four bits of the fifth byte belong to the packed number. The next bit would become bit 31 of
    // `value`, but in JavaScript bit 31 is the sign of a 32-bit number.
    value |= (byte & (shift < 27 ? 0x7f : 0x0f)) << shift;
  }
  return first & 0x40 ? ~value : value;
}
