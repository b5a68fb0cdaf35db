// OpenTTD's game info, which servers since version 12 send over TCP: `ReceiveNetworkGameInfo` in
// src/network/core/game_info.cpp and `PacketGameType` in tcp_game.h of https://github.com/OpenTTD/OpenTTD

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';
import { MalformedReply, MORE, type Protocol, type Step, type StreamExchange, strictly } from './protocol.ts';

const SERVER_GAME_INFO = 6;
const CLIENT_GAME_INFO = 7;
const REQUEST = Buffer.from([3, 0, CLIENT_GAME_INFO]);
/** Length of a packet header: length and type. */
const HEADER_BYTES = 3;
/** Longest packet, bytes: the engine's TCP_MTU. */
const MAX_BYTES = 32767;

/**
 * Newest known version. Each version puts its fields before the older ones, so a newer one cannot be read.
 */
const LATEST_VERSION = 7;
/** Format of the add-on list since version 6: with names, or as numbers in a table. */
const WITH_NAMES = 1;
const FROM_TABLE = 2;

class OpenttdExchange implements StreamExchange {
  #chunks: Buffer[] = [];
  #received = 0;
  /** Number of bytes needed before parsing continues. */
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
    // A server that is full or that bans us sends another packet, so its status stays unknown.
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
  if (version < 6) reader.skip(1); // language
  const password = reader.u8() !== 0;
  const maxplayers = reader.u8();
  const players = reader.u8();
  reader.skip(1); // of them without a company
  if (version < 3) reader.skip(2 * 2); // dates
  const map = version < 6 ? reader.cstring() : '';
  reader.skip(2 + 2 + 1 + 1); // the map's size, its landscape, whether it is a dedicated server
  reader.end();
  return { name, map, players, maxplayers, password, version: revision };
}

/** Skips what the info tells about game, add-ons and companies. */
function skipToName(reader: ByteReader, version: number): void {
  if (version >= 7) reader.skip(8); // ticks played
  const addOns = version >= 6 ? reader.u8() : 0;
  if (addOns > FROM_TABLE) throw new MalformedReply(`add-ons in the unknown form ${addOns}`);
  if (version >= 5) {
    reader.skip(4);
    reader.cstring(); // the game script
  }
  if (version >= 4) {
    for (let left = reader.u8(); left > 0; left--) {
      reader.skip(addOns === FROM_TABLE ? 4 : 4 + 16); // number, or id and MD5
      if (addOns === WITH_NAMES) reader.cstring();
    }
  }
  if (version >= 3) reader.skip(2 * 4); // dates
  if (version >= 2) reader.skip(3); // companies: places, taken; watchers' places
}

/** The protocol of OpenTTD since 12.0, which tells neither the map's name nor the players' names. */
export const openttd: Protocol = { transport: 'tcp', colours: 'none', open: () => new OpenttdExchange() };
