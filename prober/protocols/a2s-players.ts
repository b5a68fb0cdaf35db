// Parses A2S_PLAYER: https://developer.valvesoftware.com/wiki/Server_queries#A2S_PLAYER

import type { RawPlayer } from '../answers/raw-status.ts';
import { APP_THE_SHIP } from './a2s-info.ts';
import { ByteReader } from './byte-reader.ts';

const APP_COUNTER_STRIKE = 730;

/** Length of the header: `-1` and the type byte. */
const HEADER_BYTES = 5;

/** The Ship appends deaths and money of each player to its list. */
const SHIP_EXTRA_BYTES = 8;

/** Parses the player list, whose type byte is `D`. Throws MalformedReply. */
export function parsePlayers(message: Buffer, appId: number): RawPlayer[] {
  const reader = new ByteReader(message, HEADER_BYTES);
  const count = reader.u8();
  const players: RawPlayer[] = [];
  for (let i = 0; i < count; i++) {
    reader.skip(1); // index, zero in many games
    const name = reader.cstring();
    const score = reader.i32();
    const time = reader.f32();
    // If Counter-Strike hides its player list, it sends one entry of this name, with the slots as its score.
    if (appId === APP_COUNTER_STRIKE && name === 'Max Players') continue;
    players.push({ name, score, time });
  }
  if (appId === APP_THE_SHIP && reader.remaining > 0) reader.skip(count * SHIP_EXTRA_BYTES);
  reader.end();
  return players;
}
