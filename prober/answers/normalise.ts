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
/**
 * Upper limit for the size of one player in JSON, in bytes. It covers the keys, numbers and braces, but not the
 * player's name.
 */
const PLAYER_BYTES = 56;
/**
 * A list of at most this many players always fits into 24 KiB of JSON (`MAX_PLAYERS_BYTES`), so its size is not
 * checked. Each code point of a name takes at most four bytes, and the quotes take two bytes.
 */
const FEW_PLAYERS = Math.floor(MAX_PLAYERS_BYTES / (PLAYER_BYTES + 2 + MAX_PLAYER_NAME * 4));

/** Data that `normalise` needs in addition to the status: the server's host and port, and the round trip time. */
export interface ProbeFacts {
  /** Host of the game server, as the caller wrote it. */
  host: string;
  /** Port that players join, unless the reply of the server contains a different join port. */
  joinPort: number;
  colours: ColourCodes;
  /** Round trip time between the prober and the game server, ms. */
  ping: number;
}

/**
 * Cleans and truncates the texts of a parsed status, and rounds its counts. An empty server name becomes the server's
 * address. The number of players can exceed `maxplayers`, because some servers let more players in.
 */
export function normalise(raw: RawStatus, facts: ProbeFacts): NormalisedPayload {
  const { colours, host, joinPort } = facts;
  const port = isPort(raw.connectPort) ? raw.connectPort : joinPort;
  return payloadOf(
    raw,
    colours,
    cleanText(raw.name, colours, MAX_NAME) || hostPort(host, port),
    whole(facts.ping, 0, MAX_PING),
    // The field `connect` is the address that players join. The field is empty if this address consists of `host` and
    // `joinPort`, because the core knows both.
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
      // Counts the bytes of the name as JSON, because JSON escapes some characters, such as quotes.
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
