// Parses the two formats of an A2S_INFO reply: https://developer.valvesoftware.com/wiki/Server_queries#A2S_INFO

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';

/** Steam app id of the game The Ship, whose replies have extra fields. */
export const APP_THE_SHIP = 2400;
const APP_RUST = 252490;

/**
 * Protocol numbers that GoldSrc engines send in an A2S_INFO reply of the Source format: 47 without Steam, 48 with
 * Steam.
 */
const GOLDSRC_PROTOCOLS = [47, 48];

/** Codes of the server type HLTV (`p` or `P`). HLTV is a proxy that shows a game to spectators. */
const PROXIES = [0x70, 0x50];
/**
 * Maximum value of a one-byte player count. If a count in the reply of an HLTV proxy (a proxy for spectators) has this
 * value, the real counts follow at the end of the reply, as 32-bit numbers.
 */
const FULL = 255;

/** Length of the header of an A2S_INFO reply, bytes: the 32-bit number -1, then the type byte. */
const HEADER_BYTES = 5;

const EDF_PORT = 0x80;
const EDF_SOURCE_TV = 0x40;
const EDF_KEYWORDS = 0x20;
const EDF_STEAM_ID = 0x10;
const EDF_GAME_ID = 0x01;
const EDF_KNOWN = EDF_PORT | EDF_SOURCE_TV | EDF_KEYWORDS | EDF_STEAM_ID | EDF_GAME_ID;

const RUST_MOST = /(?:^|,)mp(\d{1,5})(?=,|$)/;
const RUST_CURRENT = /(?:^|,)cp(\d{1,5})(?=,|$)/;

/** A parsed A2S_INFO reply. */
export interface A2sInfo {
  status: RawStatus;
  appId: number;
  /** True if the server splits long replies into packets with the GoldSrc layout. */
  goldsrc: boolean;
}

/** Parses an A2S_INFO reply in the Source format (type byte `I`). Throws MalformedReply if the reply is invalid. */
export function parseSourceInfo(message: Buffer): A2sInfo {
  const reader = new ByteReader(message, HEADER_BYTES);
  const protocol = reader.u8();
  const name = reader.cstring();
  const map = reader.cstring();
  reader.skipCstring(); // unused field: folder of the game
  reader.skipCstring(); // unused field: name of the game
  let appId = reader.u16();
  const status: RawStatus = { name, map, players: reader.u8(), maxplayers: reader.u8() };
  status.numbots = reader.u8();
  reader.skip(2); // unused fields: server type, operating system
  status.password = reader.u8() !== 0;
  reader.skip(1); // unused field: anti-cheat flag
  if (appId === APP_THE_SHIP) reader.skip(3); // unused fields: game mode, witnesses, duration
  status.version = reader.cstring();
  if (reader.remaining > 0) {
    const flags = reader.u8();
    if (flags & EDF_PORT) status.connectPort = reader.u16();
    if (flags & EDF_STEAM_ID) reader.skip(8);
    if (flags & EDF_SOURCE_TV) {
      reader.skip(2);
      reader.skipCstring();
    }
    const keywords = flags & EDF_KEYWORDS ? reader.cstring() : '';
    // The field for the app id has only 16 bits, which is too short for newer games. The optional 64-bit game id
    // contains the complete app id in its low 24 bits.
    if (flags & EDF_GAME_ID) {
      const gameId = reader.u32() & 0xffffff;
      if (gameId !== 0) appId = gameId;
      reader.skip(4); // unused upper half of the game id: type and mod
    }
    if (appId === APP_RUST) readRustKeywords(keywords, status);
    // If an undocumented flag is set, unknown bytes can follow. Otherwise the A2S_INFO reply must end here.
    if (!(flags & ~EDF_KNOWN)) reader.end();
  }
  return { status, appId, goldsrc: GOLDSRC_PROTOCOLS.includes(protocol) };
}

/**
 * Parses an A2S_INFO reply in the old GoldSrc format (type byte `m`). HLTV proxies still send this format. Throws
 * MalformedReply if the reply is invalid.
 */
export function parseGoldsrcInfo(message: Buffer): A2sInfo {
  const reader = new ByteReader(message, HEADER_BYTES);
  reader.skipCstring(); // unused field: address of the server
  const name = reader.cstring();
  const map = reader.cstring();
  reader.skipCstring(); // unused field: folder of the game
  reader.skipCstring(); // unused field: name of the game
  const status: RawStatus = { name, map, players: reader.u8(), maxplayers: reader.u8() };
  reader.skip(1); // unused field: protocol number
  const isProxy = PROXIES.includes(reader.u8());
  reader.skip(1); // unused field: operating system
  status.password = reader.u8() !== 0;
  if (reader.u8() === 1) {
    reader.skipCstring(); // unused field: web site of the mod
    reader.skipCstring(); // unused field: download address of the mod
    reader.skipCstring(); // unused field: engine version, empty in practice
    reader.skip(4 + 4 + 1 + 1); // unused fields of the mod: version, size, multiplayer flag, client library flag
  }
  reader.skip(1); // unused field: anti-cheat flag
  if (!isProxy || reader.remaining === 1) status.numbots = reader.u8();
  else if (status.players === FULL || status.maxplayers === FULL) {
    // This reply of an HLTV proxy contains no bot count. Its player count or its player limit has the maximum value of
    // a byte, so the real number can be larger. Therefore the proxy sends the player count and the player limit again
    // at the end of the reply, as 32-bit numbers.
    status.players = reader.u32();
    status.maxplayers = reader.u32();
  }
  reader.end();
  return { status, appId: 0, goldsrc: true };
}

/**
 * Reads the player counts of a Rust server from its keywords, for example `mp300` (player slots) and `cp271` (players).
 * The counts of large servers do not fit into the byte fields of A2S_INFO.
 */
function readRustKeywords(keywords: string, status: RawStatus): void {
  const most = Number(RUST_MOST.exec(keywords)?.[1] ?? 0);
  if (most <= 255) return; // The byte fields suffice here, and they are more up to date than the keywords.
  status.maxplayers = most;
  status.players = Number(RUST_CURRENT.exec(keywords)?.[1] ?? status.players);
}
