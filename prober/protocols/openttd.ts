// The game info of OpenTTD. Servers since version 12 send it over TCP. Source: `ReceiveNetworkGameInfo` in
// src/network/core/game_info.cpp and `PacketGameType` in tcp_game.h of https://github.com/OpenTTD/OpenTTD

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const SERVER_GAME_INFO = 6;
const CLIENT_GAME_INFO = 7;
const REQUEST = Buffer.from([3, 0, CLIENT_GAME_INFO]);
/** Length of a packet header, bytes. The header consists of the packet length and the packet type. */
const HEADER_BYTES = 3;
/** Maximum size of an OpenTTD packet, bytes: the constant TCP_MTU in the source code of the game. */
const MAX_BYTES = 32767;

/**
 * Newest version of the game info format that gsq can read. gsq rejects newer versions, because each version inserts
 * its new fields before the old ones.
 */
const LATEST_VERSION = 7;
/**
 * Formats of the list of add-ons. The list contains either the names of the add-ons, or indexes in a table of known
 * add-ons.
 */
const WITH_NAMES = 1;
const FROM_TABLE = 2;

class OpenttdExchange implements StreamExchange {
  #chunks: Buffer[] = [];
  #received = 0;
  /** Number of bytes that must have arrived before gsq parses the OpenTTD packet. */
  #awaited = HEADER_BYTES;

  request(): Buffer[] {
    return [REQUEST];
  }

  receive(chunk: Buffer): Step {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#received < this.#awaited) return MORE;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return strictly(() => this.#read(bytes));
  }

  partial(): RawStatus | undefined {
    return undefined;
  }

  #read(bytes: Buffer): Step {
    const length = bytes.readUInt16LE(0);
    const type = bytes.readUInt8(2);
    // Rejects every packet that does not have the type SERVER_GAME_INFO. For example, a server that is full or that
    // bans gsq sends a packet of another type instead of its status.
    if (type !== SERVER_GAME_INFO) throw new MalformedReply(`packet ${type} in place of the game info`);
    if (length > MAX_BYTES) throw new MalformedReply(`a packet of ${length} bytes`);
    this.#awaited = length;
    if (bytes.length < length) return MORE;
    return { kind: 'done', status: parseGameInfo(new ByteReader(bytes.subarray(HEADER_BYTES, length))) };
  }
}

function parseGameInfo(reader: ByteReader): RawStatus {
  const version = reader.u8();
  if (version < 1 || version > LATEST_VERSION)
    throw new MalformedReply(`game info of the unknown version ${version}`);
  skipToName(reader, version);
  const name = reader.cstring();
  const revision = reader.cstring();
  if (version < 6) reader.skip(1); // unused field: language of the server
  const password = reader.u8() !== 0;
  const maxplayers = reader.u8();
  const players = reader.u8();
  reader.skip(1); // unused field: number of players without a company
  if (version < 3) reader.skip(2 * 2); // unused fields: current date, start date
  const map = version < 6 ? reader.cstring() : '';
  reader.skip(2 + 2 + 1 + 1); // unused fields: width and height of the map, landscape, dedicated server flag
  reader.end();
  return { name, map, players, maxplayers, password, version: revision };
}

/** Skips the fields of the game info that come before the server name. */
function skipToName(reader: ByteReader, version: number): void {
  if (version >= 7) reader.skip(8); // unused field: number of game ticks so far
  const addOns = version >= 6 ? reader.u8() : 0;
  if (addOns > FROM_TABLE) throw new MalformedReply(`add-ons in the unknown form ${addOns}`);
  if (version >= 5) {
    reader.skip(4);
    reader.cstring(); // unused fields: version and name of the game script
  }
  if (version >= 4) {
    for (let left = reader.u8(); left > 0; left--) {
      reader.skip(addOns === FROM_TABLE ? 4 : 4 + 16); // Skips the add-on's table number, or its id and MD5 hash.
      if (addOns === WITH_NAMES) reader.cstring();
    }
  }
  if (version >= 3) reader.skip(2 * 4); // unused fields: current date, start date
  if (version >= 2) reader.skip(3); // unused fields: company limit, company count, spectator limit
}

/**
 * The protocol of OpenTTD since version 12. A status never contains player names. It contains a map only if the game
 * info has a format version below 6.
 */
export const openttd: Protocol = { transport: 'tcp', colours: 'none', open: () => new OpenttdExchange() };
