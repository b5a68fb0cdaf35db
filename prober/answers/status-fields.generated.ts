// Written by npm run payload from proto/payload-fields.ts.
import type { Player } from '../../proto/generated/gsq/v1/Player.ts';
import { cleanText, isCount, whole } from './clean-values.ts';
import type { ColourCodes, RawStatus } from './raw-status.ts';

/** A payload in the form in which the prober reports it. A count that the server does not report is absent. */
export interface NormalisedPayload {
  name: string;
  map: string;
  players?: number;
  maxplayers?: number;
  numbots: number;
  password: boolean;
  version: string;
  ping: number;
  connect: string;
  playerList: Player[];
}

/**
 * Builds a payload from the status that a parser read, and from the fields that the prober adds itself. Strings are cleaned,
 * and all values are within the limits of the table in proto/payload-fields.ts.
 */
export function payloadOf(
  raw: RawStatus,
  colours: ColourCodes,
  name: string,
  ping: number,
  connect: string,
  playerList: Player[],
): NormalisedPayload {
  const payload: NormalisedPayload = {
    name,
    map: cleanText(raw.map ?? '', colours, 128),
    players: whole(raw.players, 0, 1000000),
    maxplayers: whole(raw.maxplayers, 0, 1000000),
    numbots: whole(raw.numbots, 0, 1000000),
    password: raw.password ?? false,
    version: cleanText(raw.version ?? '', colours, 64),
    ping,
    connect,
    playerList,
  };
  // Creates the object with all counts, and then deletes the counts that the server does not report. Nearly all servers
  // report all counts. If the counts were added one after the other, V8 would make slower objects for these servers.
  if (!isCount(raw.players)) delete payload.players;
  if (!isCount(raw.maxplayers)) delete payload.maxplayers;
  return payload;
}
