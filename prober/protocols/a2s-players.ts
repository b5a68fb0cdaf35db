// A2S_PLAYER. https://developer.valvesoftware.com/wiki/Server_queries#A2S_PLAYER

import { ByteReader } from './byte-reader.ts';
import { MalformedReply, type RawPlayer } from './protocol.ts';

const APP_COUNTER_STRIKE = 730;

/** The Ship ends its list with each player's deaths and money. */
const SHIP_EXTRA_BYTES = 8;

/** The player list, `bytes` beginning after the type byte `D`. Throws MalformedReply. */
export function parsePlayers(bytes: Buffer, appId: number): RawPlayer[] {
  const reader = new ByteReader(bytes);
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
  if (reader.remaining !== 0 && reader.remaining !== count * SHIP_EXTRA_BYTES) {
    throw new MalformedReply(`${reader.remaining} bytes behind the last of ${count} players`);
  }
  return players;
}
