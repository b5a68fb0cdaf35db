// What the servers of GameSpy's protocols call their facts; the same in every version of these. Keys are in
// lower case here.

import type { CountedStatus, RawPlayer } from '../answers/raw-status.ts';
import { MalformedReply } from './protocol.ts';
import { stripUnrealColours } from './unreal-text.ts';

// The numbers are Unreal Tournament 3's, whose `hostname` is who started the server and whose `mapname` is a list of
// settings: https://wiki.unrealadmin.org/UT3_query_protocol
/** The first of these that is not empty. */
const NAME_KEYS = ['p1073741827', 'hostname', 'servername'];
// Of each of the others the first that is there.
const MAP_KEYS = ['p1073741825', 'mapname', 'map'];
const VERSION_KEYS = ['gamever', 'version'];
const PASSWORD_KEYS = ['password', 's7'];
const PLAYER_NAME_KEYS = ['player', 'playername', 'name'];
const SCORE_KEYS = ['score', 'frags', 'kills'];

const NO_PASSWORD = ['', '0', 'false', 'no'];
/** Some games write a fraction, which is left out. */
const SCORE = /^\s*(-?\d{1,10})(?:\.\d*)?\s*$/;
const PORT = /^\s*(\d{1,5})\s*$/;
const COUNT = /^\s*\d{1,9}\s*$/;

/** More than any of these games lets in. */
export const MAX_GAMESPY_PLAYERS = 1024;

/**
 * The status told by key and value; `listed` are the players counted in a list, for servers that do not say
 * how many there are. Throws MalformedReply without players or places.
 */
export function readFacts(rules: ReadonlyMap<string, string>, listed?: number): CountedStatus {
  const players = readCount(rules, 'numplayers') ?? listed;
  const maxplayers = readCount(rules, 'maxplayers');
  if (players === undefined || maxplayers === undefined)
    throw new MalformedReply('no numplayers or maxplayers');
  const name = NAME_KEYS.map(key => rules.get(key)).find(value => value) ?? '';
  const status: CountedStatus = { name: stripUnrealColours(name), players, maxplayers };
  const map = pick(rules, MAP_KEYS);
  if (map !== undefined) status.map = stripUnrealColours(map);
  const version = pick(rules, VERSION_KEYS);
  if (version !== undefined) status.version = version;
  const password = pick(rules, PASSWORD_KEYS);
  if (password !== undefined) status.password = !NO_PASSWORD.includes(password.trim().toLowerCase());
  const port = Number(PORT.exec(rules.get('hostport') ?? '')?.[1] ?? 0);
  if (port > 0 && port <= 0xffff) status.connectPort = port;
  return status;
}

/** A player of named fields, without the `_` these end with; undefined where none of them is a name. */
export function readPlayer(fields: ReadonlyMap<string, string>): RawPlayer | undefined {
  const name = pick(fields, PLAYER_NAME_KEYS);
  if (name === undefined) return undefined;
  const player: RawPlayer = { name: stripUnrealColours(name) };
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
