import type { Player } from '../../proto/generated/gsq/v1/Player.ts';
import { maxOf, playerFields } from '../../proto/payload-fields.ts';
import { hostPort } from '../../runtime/endpoint.ts';
import { cleanText, whole } from './clean-values.ts';
import type { ColourCodes, RawPlayer, RawStatus } from './raw-status.ts';
import { type NormalisedPayload, payloadOf } from './status-fields.generated.ts';

const MAX_NAME = maxOf('name');
const MAX_PING = maxOf('ping');
const MAX_PLAYERS = maxOf('player_list');
const MAX_PLAYER_NAME = maxOf('name', playerFields);
const MAX_PORT = 65_535;
const MAX_PLAYERS_BYTES = 24 * 1024;
/** Bytes that a player takes in JSON beside the name: keys, numbers, braces. */
const PLAYER_BYTES = 56;
/** This many players always fit: JSON needs at most six bytes for a code point, and two for the quotes. */
const FEW_PLAYERS = Math.floor(MAX_PLAYERS_BYTES / (PLAYER_BYTES + 2 + MAX_PLAYER_NAME * 6));

/** Facts about a probe that the server's reply does not hold. */
export interface ProbeFacts {
  /** The host as the caller named it. */
  host: string;
  /** The port that players join at, unless the server names another. */
  joinPort: number;
  colours: ColourCodes;
  /** Round trip time, ms. */
  ping: number;
}

/**
 * Makes a reply fit to be stored and shown: texts lose control characters, direction marks and colour codes and are cut,
 * numbers become integers from 0 up, and the name is never empty. More players than slots stay as reported: some servers
 * let more in. `connect` is empty if players join at the address the caller named, which the core knows.
 */
export function normalise(raw: RawStatus, facts: ProbeFacts): NormalisedPayload {
  const { colours, host, joinPort } = facts;
  const port = isPort(raw.connectPort) ? raw.connectPort : joinPort;
  return payloadOf(
    raw,
    colours,
    cleanText(raw.name, colours, MAX_NAME) || hostPort(host, port),
    whole(facts.ping, 0, MAX_PING),
    port === joinPort ? '' : hostPort(host, port),
    normalisePlayers(raw.playerList ?? [], colours),
  );
}

function normalisePlayers(list: RawPlayer[], colours: ColourCodes): Player[] {
  const players: Player[] = [];
  const count = Math.min(list.length, MAX_PLAYERS);
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const raw = list[i] as RawPlayer;
    const name = cleanText(raw.name, colours, MAX_PLAYER_NAME);
    if (count > FEW_PLAYERS) {
      // As JSON writes it: quotes and backslashes double.
      bytes += Buffer.byteLength(JSON.stringify(name)) + PLAYER_BYTES;
      if (bytes > MAX_PLAYERS_BYTES) break;
    }
    players.push({
      name,
      score: whole(raw.score, -0x80000000, 0x7fffffff),
      time: whole(raw.time, 0, 0xffffffff),
    });
  }
  return players;
}

function isPort(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value <= MAX_PORT;
}
