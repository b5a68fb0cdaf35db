// The two forms of A2S_INFO. https://developer.valvesoftware.com/wiki/Server_queries#A2S_INFO

import { ByteReader } from './byte-reader.ts';
import type { RawStatus } from './protocol.ts';

const APP_THE_SHIP = 2400;
const APP_RUST = 252490;

/** Header protocol number of GoldSrc engines in the newer reply; they split packets in their own way. */
const GOLDSRC_PROTOCOL = 48;

const EDF_PORT = 0x80;
const EDF_SOURCE_TV = 0x40;
const EDF_KEYWORDS = 0x20;
const EDF_STEAM_ID = 0x10;
const EDF_GAME_ID = 0x01;
const EDF_KNOWN = EDF_PORT | EDF_SOURCE_TV | EDF_KEYWORDS | EDF_STEAM_ID | EDF_GAME_ID;

export interface A2sInfo {
  status: RawStatus;
  appId: number;
  /** Splits its packets the GoldSrc way. */
  goldsrc: boolean;
}

/** The Source reply, `bytes` beginning after the type byte `I`. Throws MalformedReply. */
export function parseSourceInfo(bytes: Buffer): A2sInfo {
  const reader = new ByteReader(bytes);
  const protocol = reader.u8();
  const name = reader.cstring();
  const map = reader.cstring();
  reader.cstring(); // folder
  reader.cstring(); // game
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
      reader.cstring();
    }
    const keywords = flags & EDF_KEYWORDS ? reader.cstring() : '';
    // The 16-bit id above wraps for newer games; the low 24 bits of the game id do not.
    if (flags & EDF_GAME_ID) appId = Number(reader.u64() & 0xffffffn) || appId;
    if (appId === APP_RUST) readRustKeywords(keywords, status);
    // Bytes behind a flag nobody documented are that flag's business.
    if (!(flags & ~EDF_KNOWN)) reader.end();
  }
  return { status, appId, goldsrc: protocol === GOLDSRC_PROTOCOL };
}

/** The reply of GoldSrc before it took over the Source form, beginning after the type byte `m`. */
export function parseGoldsrcInfo(bytes: Buffer): A2sInfo {
  const reader = new ByteReader(bytes);
  reader.cstring(); // address
  const name = reader.cstring();
  const map = reader.cstring();
  reader.cstring(); // folder
  reader.cstring(); // game
  const status: RawStatus = { name, map, players: reader.u8(), maxplayers: reader.u8() };
  reader.skip(3); // protocol, server type, environment
  status.password = reader.u8() !== 0;
  if (reader.u8() === 1) {
    reader.cstring(); // mod's site
    reader.cstring(); // mod's download
    reader.cstring(); // engine version, empty in practice
    reader.skip(4 + 4 + 1 + 1); // version, size, multiplayer only, own client library
  }
  reader.skip(1); // secure
  status.numbots = reader.u8();
  reader.end();
  return { status, appId: 0, goldsrc: true };
}

/** Rust puts what its bytes cannot hold among its keywords: `mp300` (most) and `cp271` (current). */
function readRustKeywords(keywords: string, status: RawStatus): void {
  const words = keywords.split(',');
  const count = (prefix: string) => {
    const digits = words.map(word => new RegExp(`^${prefix}(\\d{1,5})$`).exec(word)?.[1]).find(Boolean);
    return digits === undefined ? undefined : Number(digits);
  };
  const most = count('mp');
  if (most === undefined || most <= 255) return; // the bytes are the fresher of the two
  status.maxplayers = most;
  status.players = count('cp') ?? status.players;
}
