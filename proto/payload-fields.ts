/**
 * The fields of a payload: the data that gsq reports about a game server. `npm run payload` generates codec, REST
 * renderer, normaliser, client types and the tables in docs/ from them.
 */

/*
 * How to add a payload field: add it to ServerPayload in server.proto, to this table, and to RawStatus
 * (prober/answers/raw-status.ts), which protocol parsers fill. Then run `npm run proto`.
 */

/** A field of ServerPayload: an element of `payloadTable`. The elements have the order of the keys in REST replies. */
export interface PayloadField {
  /** Name that the field has in the message ServerPayload of server.proto. */
  readonly name: string;
  /** Protobuf field number of the field in ServerPayload (server.proto). */
  readonly number: number;
  /**
   * Type of the field. `time` stands for google.protobuf.Timestamp, and `players` for a repeated Player (see
   * `playerFields`).
   */
  readonly type: 'string' | 'uint32' | 'int32' | 'bool' | 'time' | 'players';
  /** JSON key of the field in REST replies. `raw.x` is the key `x` of the object `raw`. */
  readonly json: string;
  /**
   * If true, answers omit the field when the game server does not report it. Otherwise, answers contain 0 in this case.
   * Set `optional` for a field in which the value 0 has its own meaning.
   */
  readonly optional?: true;
  /**
   * Limit of the payload field: the maximum number of code points of a string, the maximum number of entries of a list,
   * or the maximum value of a number.
   */
  readonly max: number;
  /** Minimum value of a payload field that is a number. If this property is absent, the minimum is 0. */
  readonly min?: number;
  /**
   * Tells which part of gsq sets the field. `status`: the parser of the game protocol (see RawStatus); the prober then
   * limits the value. `probe`: the file prober/answers/normalise.ts. `core`: the core, which adds the field to answers
   * and does not store it.
   */
  readonly source: 'status' | 'probe' | 'core';
  /** True if answers contain the address of the game server instead of an empty value of the field. */
  readonly emptyMeansAddress?: true;
  /**
   * True for a field such as the ping, whose value can differ even between identical replies. Comparisons of payloads
   * ignore such fields. The numbers of these fields are consecutive, so that the fields form one byte range in an
   * encoded payload.
   */
  readonly volatile?: true;
  /** Description of the payload field, for the docs. */
  readonly about: string;
}

/**
 * A second JSON key in REST answers, which has the same value as another key. `json`: the second key. `copyOf`: the
 * other key.
 */
export interface PayloadCopy {
  readonly json: string;
  readonly copyOf: string;
  readonly about: string;
}

/**
 * Upper limit for the numbers of players, player slots and bots, and for the ping. The prober reduces larger values
 * to this limit.
 */
const MAX_COUNT = 1_000_000;

export const payloadTable: readonly (PayloadField | PayloadCopy)[] = [
  {
    name: 'name',
    number: 1,
    type: 'string',
    json: 'name',
    max: 256,
    source: 'probe',
    about: 'name of the server; its address if the server has no name',
  },
  {
    name: 'map',
    number: 2,
    type: 'string',
    json: 'map',
    max: 128,
    source: 'status',
    about: 'map or world that is being played',
  },
  {
    name: 'players',
    number: 3,
    type: 'uint32',
    json: 'players',
    optional: true,
    max: MAX_COUNT,
    source: 'status',
    about: 'players on the server, bots included',
  },
  {
    name: 'maxplayers',
    number: 4,
    type: 'uint32',
    json: 'maxplayers',
    optional: true,
    max: MAX_COUNT,
    source: 'status',
    about: 'maximum number of players',
  },
  {
    json: 'numplayers',
    copyOf: 'players',
    about: 'number of players on the server, equal to the value of the key `players`',
  },
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
    about: 'milliseconds between the query and its reply',
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
    about: '`host:port` that players join',
  },
  {
    name: 'updated',
    number: 10,
    type: 'time',
    json: 'updated',
    max: 0,
    source: 'core',
    about: 'time of the last valid reply of the server, UTC',
  },
  {
    json: 'raw.numbots',
    copyOf: 'numbots',
    about: 'number of bots on the server, equal to the value of the key `numbots`',
  },
  {
    name: 'player_list',
    number: 11,
    type: 'players',
    json: 'raw.players',
    max: 255,
    source: 'probe',
    about: 'players that the server lists, each with `name`, `score` and `time`',
  },
];

/** The fields of the message Player, which describes a player of a game server. */
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

/** The fields of ServerPayload, sorted by protobuf field number. */
export const payloadFields: readonly PayloadField[] = payloadTable
  .flatMap(row => ('copyOf' in row ? [] : [row]))
  .sort((a, b) => a.number - b.number);

/** The fields of ServerPayload that probers report and the core stores. */
export const storedFields: readonly PayloadField[] = payloadFields.filter(({ source }) => source !== 'core');

/** Returns the name of a field in TypeScript. For example, `player_list` becomes `playerList`. */
export function propertyOf({ name }: Pick<PayloadField, 'name'>): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the maximum (`max`) of a field of ServerPayload. Throws RangeError if no field has that name. */
export function maxOf(name: string, fields: readonly PayloadField[] = payloadFields): number {
  const field = fields.find(each => each.name === name);
  if (!field) throw new RangeError(`no field "${name}" of a payload`);
  return field.max;
}
