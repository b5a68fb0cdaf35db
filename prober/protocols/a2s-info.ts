// Parses the two forms of A2S_INFO: https://developer.valvesoftware.com/wiki/Server_queries#A2S_INFO

import type { RawStatus } from '../answers/raw-status.ts';
import { ByteReader } from './byte-reader.ts';

export const APP_THE_SHIP = 2400;
const APP_RUST = 252490;

/** Protocol numbers of GoldSrc engines in the newer reply: without Steam, and with Steam. */
const GOLDSRC_PROTOCOLS = [47, 48];

/** Server types of HLTV, which shows a game to spectators. */
const PROXIES = [0x70, 0x50];
/** The largest value of a byte. */
const FULL = 255;

/** Length of the header: `-1` and the type byte. */
const HEADER_BYTES = 5;

const EDF_PORT = 0x80;
const EDF_SOURCE_TV = 0x40;
const EDF_KEYWORDS = 0x20;
const EDF_STEAM_ID = 0x10;
const EDF_GAME_ID = 0x01;
const EDF_KNOWN = EDF_PORT | EDF_SOURCE_TV | EDF_KEYWORDS | EDF_STEAM_ID | EDF_GAME_ID;

const RUST_MOST = /(?:^|,)mp(\d{1,5})(?=,|$)/;
const RUST_CURRENT = /(?:^|,)cp(\d{1,5})(?=,|$)/;

export interface A2sInfo {
  status: RawStatus;
  appId: number;
  /** True if the server splits its replies in GoldSrc's layout. */
  goldsrc: boolean;
}

/** Parses the Source form of A2S_INFO, whose type byte is `I`. Throws MalformedReply. */
export function parseSourceInfo(message: Buffer): A2sInfo {
  const reader = new ByteReader(message, HEADER_BYTES);
  const protocol = reader.u8();
  const name = reader.cstring();
  const map = reader.cstring();
  reader.skipCstring(); // folder
  reader.skipCstring(); // game
  let appId = reader.u16();
  const status: RawStatus = { name, map, players: reader.u8(), maxplayers: reader.u8() };
  status.numbots = reader.u8();
  reader.skip(2); // server type, environment
  status.password = reader.u8() !== 0;
  reader.skip(1); // secure
  if (appId === APP_THE_SHIP) reader.skip(3); // mode, witnesses, duration
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
    // The 16-bit app id overflows for newer games; the low 24 bits of the game id hold it.
    if (flags & EDF_GAME_ID) {
      const gameId = reader.u32() & 0xffffff;
      if (gameId !== 0) appId = gameId;
      reader.skip(4); // kind, mod
    }
    if (appId === APP_RUST) readRustKeywords(keywords, status);
    // Extra bytes are allowed if an undocumented flag is set: they may belong to that flag.
    if (!(flags & ~EDF_KNOWN)) reader.end();
  }
  return { status, appId, goldsrc: GOLDSRC_PROTOCOLS.includes(protocol) };
}

/**
 * Parses the old GoldSrc form of A2S_INFO, which HLTV still sends and whose type byte is `m`. Throws
 * MalformedReply.
 */
export function parseGoldsrcInfo(message: Buffer): A2sInfo {
  const reader = new ByteReader(message, HEADER_BYTES);
  reader.skipCstring(); // address
  const name = reader.cstring();
  const map = reader.cstring();
  reader.skipCstring(); // folder
  reader.skipCstring(); // game
  const status: RawStatus = { name, map, players: reader.u8(), maxplayers: reader.u8() };
  reader.skip(1); // protocol
  const isProxy = PROXIES.includes(reader.u8());
  reader.skip(1); // environment
  status.password = reader.u8() !== 0;
  if (reader.u8() === 1) {
    reader.skipCstring(); // mod's site
    reader.skipCstring(); // mod's download
    reader.skipCstring(); // engine version, empty in practice
    reader.skip(4 + 4 + 1 + 1); // version, size, multiplayer only, own client library
  }
  reader.skip(1); // secure
  if (!isProxy || reader.remaining === 1) status.numbots = reader.u8();
  else if (status.players === FULL || status.maxplayers === FULL) {
    // HLTV appends the counts that a byte cannot hold, and has no bots.
    status.players = reader.u32();
    status.maxplayers = reader.u32();
  }
  reader.end();
  return { status, appId: 0, goldsrc: true };
}

/**
 * Reads Rust's player counts from its keywords, because they exceed a byte: `mp300` (slots) and `cp271`
 * (players).
 */
function readRustKeywords(keywords: string, status: RawStatus): void {
  const most = Number(RUST_MOST.exec(keywords)?.[1] ?? 0);
  if (most <= 255) return; // the bytes are the fresher of the two
  status.maxplayers = most;
  status.players = Number(RUST_CURRENT.exec(keywords)?.[1] ?? status.players);
}
