// Parses an A2S_PLAYER reply (the player list): https://developer.valvesoftware.com/wiki/Server_queries#A2S_PLAYER

import type { RawPlayer } from '../answers/raw-status.ts';
import { APP_THE_SHIP } from './a2s-info.ts';
import { ByteReader } from './byte-reader.ts';
import { TruncatedReply } from './protocol.ts';

const APP_COUNTER_STRIKE = 730;

/** Length of the header of an A2S_PLAYER reply, bytes: the 32-bit number -1, then the type byte. */
const HEADER_BYTES = 5;

/**
 * Number of extra bytes for each player in a player list of The Ship: deaths and money. The extra bytes of all players
 * follow at the end of the list.
 */
const SHIP_EXTRA_BYTES = 8;

/**
 * Parses an A2S_PLAYER reply (type byte `D`). `appId`: Steam app id of the game; some games use a different format. A
 * reply can contain fewer players than it announces, because real servers also count players who are still connecting,
 * and truncate long lists. The result is then shorter. Throws MalformedReply if the reply is invalid.
 */
export function parsePlayers(message: Buffer, appId: number): RawPlayer[] {
  const reader = new ByteReader(message, HEADER_BYTES);
  const count = reader.u8();
  // In The Ship, the bytes after a list that is too short can look like another player, so the list must be complete.
  const mustBeComplete = appId === APP_THE_SHIP;
  const players: RawPlayer[] = [];
  for (let i = 0; i < count && (mustBeComplete || reader.remaining > 0); i++) {
    const player = readPlayer(reader, mustBeComplete);
    if (!player) return players;
    // Skips the player named "Max Players". A Counter-Strike server that hides its players sends only this name.
    if (appId === APP_COUNTER_STRIKE && player.name === 'Max Players') continue;
    players.push(player);
  }
  if (appId === APP_THE_SHIP && reader.remaining > 0) reader.skip(count * SHIP_EXTRA_BYTES);
  reader.end();
  return players;
}

/** Reads a player. Returns undefined if the player is truncated and `mustBeComplete` is false. */
function readPlayer(reader: ByteReader, mustBeComplete: boolean): RawPlayer | undefined {
  try {
    reader.skip(1); // unused field: index of the player, zero in many games
    return { name: reader.cstring(), score: reader.i32(), time: reader.f32() };
  } catch (error) {
    if (error instanceof TruncatedReply && !mustBeComplete) return undefined;
    throw error;
  }
}
