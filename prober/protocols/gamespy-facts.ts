// Builds a status from the keys and values in a reply. This works for each version of the GameSpy protocol, because
// most keys are the same in all versions. The keys are in lower case. The values are not decoded: each character stands
// for one byte.

// Unreal Tournament 3 has other keys for the server name (`p1073741827`), the map (`p1073741825`) and the password
// (`s7`). In its replies, `hostname` and `mapname` mean something else: https://wiki.unrealadmin.org/UT3_query_protocol

import type { CountedStatus, RawPlayer } from '../answers/raw-status.ts';
import { MalformedReply } from './protocol.ts';
import { decodeUnrealText } from './unreal-text.ts';

/** Keys of the server's name. The first key with a value that is not empty is used. */
const NAME_KEYS = ['p1073741827', 'hostname', 'servername'];
// Each array below lists the keys that different games use for one value. If a reply contains several of these keys,
// gsq uses the first key in the array.
const MAP_KEYS = ['p1073741825', 'mapname', 'map'];
// Unreal Tournament 3 sends its version only under the key `engineversion`.
const VERSION_KEYS = ['gamever', 'version', 'engineversion'];
const PASSWORD_KEYS = ['password', 's7'];
const PLAYER_NAME_KEYS = ['player', 'playername', 'name'];
const SCORE_KEYS = ['score', 'frags', 'kills'];

const NO_PASSWORD = ['', '0', 'false', 'no'];
/** Matches the score of a player. Some games send a fraction such as `4.50`. The fraction is not captured. */
const SCORE = /^\s*(-?\d{1,10})(?:\.\d*)?\s*$/;
const PORT = /^\s*(\d{1,5})\s*$/;
const COUNT = /^\s*\d{1,9}\s*$/;

/** Maximum number of players in one reply. No GameSpy game allows so many players. */
export const MAX_GAMESPY_PLAYERS = 1024;

/**
 * Builds a status from the keys and values of a reply. `listed`: number of players to use if the reply has no
 * `numplayers`. Throws MalformedReply if the number of players or `maxplayers` is unknown.
 */
export function readFacts(rules: ReadonlyMap<string, string>, listed?: number): CountedStatus {
  const players = readCount(rules, 'numplayers') ?? listed;
  const maxplayers = readCount(rules, 'maxplayers');
  if (players === undefined || maxplayers === undefined)
    throw new MalformedReply('no numplayers or maxplayers');
  const name = NAME_KEYS.map(key => rules.get(key)).find(value => value) ?? '';
  const status: CountedStatus = { name: decodeUnrealText(name), players, maxplayers };
  const map = pick(rules, MAP_KEYS);
  if (map !== undefined) status.map = decodeUnrealText(map);
  const version = pick(rules, VERSION_KEYS);
  if (version !== undefined) status.version = decodeUnrealText(version);
  const password = pick(rules, PASSWORD_KEYS);
  if (password !== undefined) status.password = !NO_PASSWORD.includes(password.trim().toLowerCase());
  const port = Number(PORT.exec(rules.get('hostport') ?? '')?.[1] ?? 0);
  if (port > 0 && port <= 0xffff) status.connectPort = port;
  return status;
}

/**
 * Builds a player from its fields. The keys of `fields` are field names such as `score`. Returns undefined if the
 * player has no name.
 */
export function readPlayer(fields: ReadonlyMap<string, string>): RawPlayer | undefined {
  const name = pick(fields, PLAYER_NAME_KEYS);
  if (name === undefined) return undefined;
  const player: RawPlayer = { name: decodeUnrealText(name) };
  const score = SCORE.exec(pick(fields, SCORE_KEYS) ?? '')?.[1];
  if (score !== undefined) player.score = Number(score);
  return player;
}

function readCount(rules: ReadonlyMap<string, string>, key: string): number | undefined {
  const value = rules.get(key);
  if (value === undefined) return undefined;
  if (!COUNT.test(value)) throw new MalformedReply(`${key} is ${JSON.stringify(value.slice(0, 20))}`);
  return Number(value);
}

function pick(fields: ReadonlyMap<string, string>, keys: string[]): string | undefined {
  const key = keys.find(name => fields.has(name));
  return key === undefined ? undefined : fields.get(key);
}
