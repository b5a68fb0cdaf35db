// Written by npm run payload from proto/payload-fields.ts.
import type { Player } from '../../proto/generated/gsq/v1/Player.ts';
import { cleanText, isCount, whole } from './clean-values.ts';
import type { ColourCodes, RawStatus } from './raw-status.ts';

/** A payload as the prober reports it; counts that the server does not tell are absent. */
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

/** The payload of what a server said, cleaned and within the limits of the table, and of what the prober makes itself. */
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
  // Nearly all servers tell these: a property that is added later makes each payload slower than one that is rarely deleted.
  if (!isCount(raw.players)) delete payload.players;
  if (!isCount(raw.maxplayers)) delete payload.maxplayers;
  return payload;
}
