/**
 * The fields of a payload: what the service tells of a game server. From this table and gsq/v1/server.proto
 * `npm run payload` writes the codec, the REST renderer, the prober's normaliser, the REST client's type and the tables in
 * docs/. To add a field: add it to ServerPayload in server.proto, add a row here, add what protocols fill in to RawStatus
 * in prober/answers/raw-status.ts, and run `npm run proto`.
 */

/** A row of the table: its order is the order of keys in REST. */
export interface PayloadField {
  /** Name in server.proto. */
  readonly name: string;
  /** Number in server.proto. */
  readonly number: number;
  /** `time`: a google.protobuf.Timestamp; `players`: a repeated Player, which `playerFields` describes. */
  readonly type: 'string' | 'uint32' | 'int32' | 'bool' | 'time' | 'players';
  /** Key in REST; `raw.x` is the key `x` of the object `raw`. */
  readonly json: string;
  /** Left out everywhere if the server does not tell it: 0 is a value too. */
  readonly optional?: true;
  /** At most so many code points of a string, entries of a list, or the greatest number. */
  readonly max: number;
  /** The least number; 0 if absent. */
  readonly min?: number;
  /**
   * `status`: the prober copies the property of this name of RawStatus, cleaned and within the limits. `probe`:
   * prober/answers/normalise.ts makes it. `core`: the time of the last answer, which is neither reported nor stored.
   */
  readonly source: 'status' | 'probe' | 'core';
  /** An empty string stands for the server's own address. */
  readonly emptyMeansAddress?: true;
  /** Differs between replies that say the same. All such fields must have neighbouring numbers. */
  readonly volatile?: true;
  /** What it is, for the docs. */
  readonly about: string;
}

/** A key of REST that repeats a field. */
export interface PayloadCopy {
  readonly json: string;
  readonly copyOf: string;
  readonly about: string;
}

/** The greatest count that is believed. */
const MAX_COUNT = 1_000_000;

export const payloadTable: readonly (PayloadField | PayloadCopy)[] = [
  {
    name: 'name',
    number: 1,
    type: 'string',
    json: 'name',
    max: 256,
    source: 'probe',
    about: 'name of the server; its address if it tells none',
  },
  { name: 'map', number: 2, type: 'string', json: 'map', max: 128, source: 'status', about: 'map or world' },
  {
    name: 'players',
    number: 3,
    type: 'uint32',
    json: 'players',
    optional: true,
    max: MAX_COUNT,
    source: 'status',
    about: 'everyone on the server, bots included',
  },
  {
    name: 'maxplayers',
    number: 4,
    type: 'uint32',
    json: 'maxplayers',
    optional: true,
    max: MAX_COUNT,
    source: 'status',
    about: 'how many the server has room for',
  },
  { json: 'numplayers', copyOf: 'players', about: 'the same as `players`' },
  {
    name: 'numbots',
    number: 5,
    type: 'uint32',
    json: 'numbots',
    max: MAX_COUNT,
    source: 'status',
    about: 'bots on the server',
  },
  {
    name: 'password',
    number: 6,
    type: 'bool',
    json: 'password',
    max: 1,
    source: 'status',
    about: 'whether players need a password to join',
  },
  {
    name: 'version',
    number: 7,
    type: 'string',
    json: 'version',
    max: 64,
    source: 'status',
    about: 'version of the game',
  },
  {
    name: 'ping',
    number: 8,
    type: 'uint32',
    json: 'ping',
    max: MAX_COUNT,
    source: 'probe',
    volatile: true,
    about: 'milliseconds between question and answer',
  },
  {
    name: 'connect',
    number: 9,
    type: 'string',
    json: 'connect',
    max: 259,
    source: 'probe',
    emptyMeansAddress: true,
    volatile: true,
    about: '`host:port` to join',
  },
  {
    name: 'updated',
    number: 10,
    type: 'time',
    json: 'updated',
    max: 0,
    source: 'core',
    about: 'when the server last answered, UTC',
  },
  { json: 'raw.numbots', copyOf: 'numbots', about: 'the same as `numbots`' },
  {
    name: 'player_list',
    number: 11,
    type: 'players',
    json: 'raw.players',
    max: 255,
    source: 'probe',
    about: 'the players the server names, each with `name`, `score` and `time`',
  },
];

/** The fields of a Player. */
export const playerFields: readonly PayloadField[] = [
  {
    name: 'name',
    number: 1,
    type: 'string',
    json: 'name',
    max: 64,
    source: 'status',
    about: 'name of the player',
  },
  {
    name: 'score',
    number: 2,
    type: 'int32',
    json: 'score',
    min: -0x80000000,
    max: 0x7fffffff,
    source: 'status',
    about: 'score of the player',
  },
  {
    name: 'time',
    number: 3,
    type: 'uint32',
    json: 'time',
    max: 0xffffffff,
    source: 'status',
    about: 'seconds on the server',
  },
];

/** The fields of ServerPayload, in the order of their numbers. */
export const payloadFields: readonly PayloadField[] = payloadTable
  .flatMap(row => ('copyOf' in row ? [] : [row]))
  .sort((a, b) => a.number - b.number);

/** Those that are reported and stored. */
export const storedFields: readonly PayloadField[] = payloadFields.filter(({ source }) => source !== 'core');

/** The name of a field in TypeScript: `player_list` is `playerList`. */
export function propertyOf({ name }: Pick<PayloadField, 'name'>): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The limit of a field of ServerPayload. Throws RangeError if there is none of that name. */
export function maxOf(name: string, fields: readonly PayloadField[] = payloadFields): number {
  const field = fields.find(each => each.name === name);
  if (!field) throw new RangeError(`no field "${name}" of a payload`);
  return field.max;
}
