// A2S_PLAYER. https://developer.valvesoftware.com/wiki/Server_queries#A2S_PLAYER

import type { RawPlayer } from '../answers/raw-status.ts';
import { APP_THE_SHIP } from './a2s-info.ts';
import { ByteReader } from './byte-reader.ts';

const APP_COUNTER_STRIKE = 730;

/** `-1` and the type byte. */
const HEADER_BYTES = 5;

/** The Ship ends its list with each player's deaths and money. */
const SHIP_EXTRA_BYTES = 8;

/** The player list, the message's type byte being `D`. Throws MalformedReply. */
export function parsePlayers(message: Buffer, appId: number): RawPlayer[] {
  const reader = new ByteReader(message, HEADER_BYTES);
  const count = reader.u8();
  const players: RawPlayer[] = [];
  for (let i = 0; i < count; i++) {
    reader.skip(1); // index, zero in many games
    const name = reader.cstring();
    const score = reader.i32();
    const time = reader.f32();
    // With the real list hidden the game names one player so, and its capacity as the score.
    if (appId === APP_COUNTER_STRIKE && name === 'Max Players') continue;
    players.push({ name, score, time });
  }
  if (appId === APP_THE_SHIP && reader.remaining > 0) reader.skip(count * SHIP_EXTRA_BYTES);
  reader.end();
  return players;
}
