import { jsonErrorPosition } from '../runtime/json-position.ts';

/**
 * Data that gsq needs in addition to the address to query the servers of a game. `credentials`: password, key or token.
 * `option`: an additional setting from the operator. `directory`: an entry in the public server list.
 */
export const needs = ['credentials', 'option', 'directory'] as const;
export type Need = (typeof needs)[number];

/** One game of `catalog.json`. Callers see only `id` and `name`. */
export interface CatalogGame {
  /** Id of the game, the `game_id` of requests. Matches `[a-z0-9]+`. */
  readonly id: string;
  /** Display name of the game; never empty. */
  readonly name: string;
  /**
   * Name of the servers' protocol: `a2s` (`valve` in gamedig), `minecraft` (Java Edition), `bedrock` (Bedrock Edition),
   * or another name from gamedig, such as `quake3`.
   */
  readonly protocol: string;
  /** Id of the game in gamedig. If the catalog file does not contain it, it equals `id`. */
  readonly gamedigId: string;
  /** Default port on which players join servers of the game. */
  readonly port?: number;
  /** Default query port of the game's servers. It does not depend on the join port of the server. */
  readonly queryPort?: number;
  /**
   * True if one query port, `queryPort`, answers for all game servers of a host. A query then specifies the server by
   * its join port.
   */
  readonly queryPortForAll?: boolean;
  /** Possible query ports of a server, as differences from its join port. The most likely one is first. */
  readonly queryPortOffsets: readonly number[];
  /** Additional data that gsq needs to query a server; empty if the address is enough. */
  readonly needs: readonly Need[];
  /**
   * Id of the public server list of the game. Present only if `needs` contains `directory`. Only one prober queries a
   * list, because the rate limit of the list applies to all probers together.
   */
  readonly directory?: string;
  /** Other ids that requests can use for this game. The games list does not contain them. */
  readonly aliases: readonly string[];
}

/** Thrown if a catalog cannot be used. The message contains the fault, its position and the way to correct it. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}

/** Maximum size of a catalog file, in bytes. The catalog with all games of gamedig has about 40 KiB. */
export const MAX_CATALOG_BYTES = 4 * 1024 * 1024;

const MAX_GAMES = 10_000;
const MAX_ALIASES = 32;
const MAX_OFFSETS = 8;
const MAX_PORT = 65_535;
const WORD = /^[a-z0-9]{1,64}$/;
// Rejects control characters and characters that reorder or hide text, because callers display the name of the game to
// people.
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u;
const FIELDS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'protocol',
  'gamedigId',
  'port',
  'queryPort',
  'queryPortForAll',
  'queryPortOffsets',
  'needs',
  'directory',
  'aliases',
] satisfies (keyof CatalogGame)[]);

/**
 * Parses the text of a catalog file: a JSON array of games. The result has the order of the array. `source` is the name
 * of the file in error messages. Throws CatalogError at the first fault.
 */
export function parseCatalog(text: string, source: string): CatalogGame[] {
  // Counts UTF-16 code units instead of bytes, because this is faster. Each code unit takes at least one byte in UTF-8,
  // so a text with too many code units also has too many bytes.
  if (text.length > MAX_CATALOG_BYTES) {
    throw new CatalogError(
      `${source}: larger than ${MAX_CATALOG_BYTES} bytes; a catalog holds games and nothing else`,
    );
  }
  const entries = parseJson(text, source);
  if (!Array.isArray(entries)) {
    throw new CatalogError(
      `${source}: must hold a JSON array of games, [{"id": ..., "name": ..., "protocol": ...}, ...]`,
    );
  }
  if (entries.length === 0) throw new CatalogError(`${source}: holds no game; add at least one`);
  if (entries.length > MAX_GAMES) {
    throw new CatalogError(`${source}: holds ${entries.length} games, more than ${MAX_GAMES}; remove some`);
  }
  const games = entries.map((entry: unknown, index) => new EntryReader(entry, index, source).game());
  refuseCollisions(games, source);
  return games;
}

/**
 * Returns the valid ports to query for a server with the address `host:port`, most likely first and without duplicates.
 * If one query port of the game answers for all servers of a host, returns only that port.
 */
export function queryPorts(game: CatalogGame, port: number): number[] {
  if (game.queryPortForAll && game.queryPort !== undefined) return [game.queryPort];
  // Lists the ports in the order in which gamedig tries them. The list contains the join port `port`, because a server
  // can also answer queries on its join port.
  const ports = new Set(game.queryPortOffsets.map(offset => port + offset)).add(port);
  if (port === game.port && game.queryPort !== undefined) ports.add(game.queryPort);
  return [...ports].filter(isPort);
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { offset, line, column } = jsonErrorPosition(text);
    const fault =
      offset === text.length ? 'ends too early' : `not JSON from ${show(text.slice(offset, offset + 20))} on`;
    throw new CatalogError(`${source}: line ${line}, column ${column}: ${fault}; mend the text there`, {
      cause: error,
    });
  }
}

function refuseCollisions(games: readonly CatalogGame[], source: string): void {
  const owners = new Map<string, string>();
  const claim = (word: string, owner: string): void => {
    const other = owners.get(word);
    if (other !== undefined) {
      throw new CatalogError(`${source}: ${owner} is taken by ${other}; keep one of them`);
    }
    owners.set(word, owner);
  };
  for (const [index, game] of games.entries()) claim(game.id, `id "${game.id}" of entry ${index}`);
  for (const [index, game] of games.entries()) {
    for (const alias of game.aliases) claim(alias, `alias "${alias}" of entry ${index} (id "${game.id}")`);
  }
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PORT;
}

function isOffset(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) < MAX_PORT && value !== 0;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && WORD.test(value);
}

function isNeed(value: unknown): value is Need {
  return needs.some(need => need === value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value) && value.trim() === value;
}

/** Reads one game of a catalog field by field, so error messages can contain the index of the game and the field. */
class EntryReader {
  readonly #fields: Map<string, unknown>;
  readonly #where: string;

  constructor(entry: unknown, index: number, source: string) {
    this.#where = `${source}: entry ${index}`;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw new CatalogError(`${this.#where}: must be an object with at least "id", "name" and "protocol"`);
    }
    this.#fields = new Map(Object.entries(entry));
    const id = this.#fields.get('id');
    if (isWord(id)) this.#where += ` (id "${id}")`;
    for (const field of this.#fields.keys()) {
      if (!FIELDS.has(field)) {
        throw this.#error(field, `is not known; remove it, or use one of ${[...FIELDS].join(', ')}`);
      }
    }
  }

  game(): CatalogGame {
    const id = this.#required('id', isWord, '1 to 64 of the characters a-z and 0-9');
    const port = this.#optional('port', isPort, 'a port from 1 to 65535');
    const queryPort = this.#optional('queryPort', isPort, 'a port from 1 to 65535');
    const queryPortForAll = this.#optional('queryPortForAll', isBoolean, 'true or false');
    const directory = this.#optional('directory', isWord, '1 to 64 of the characters a-z and 0-9');
    const wanted = this.#list('needs', isNeed, needs.length, `of ${needs.join(', ')}`);
    if (wanted.includes('directory') !== (directory !== undefined)) {
      throw this.#error('directory', 'goes with "directory" among "needs"; give both or neither');
    }
    return {
      id,
      name: this.#required('name', isName, '1 to 128 visible characters without space around them'),
      protocol: this.#required('protocol', isWord, '1 to 64 of the characters a-z and 0-9'),
      gamedigId: this.#optional('gamedigId', isWord, '1 to 64 of the characters a-z and 0-9') ?? id,
      ...(port !== undefined && { port }),
      ...(queryPort !== undefined && { queryPort }),
      ...(queryPortForAll !== undefined && { queryPortForAll }),
      queryPortOffsets: this.#list(
        'queryPortOffsets',
        isOffset,
        MAX_OFFSETS,
        'distances between two ports, not 0',
      ),
      needs: wanted,
      ...(directory !== undefined && { directory }),
      aliases: this.#list('aliases', isWord, MAX_ALIASES, 'strings of 1 to 64 of the characters a-z and 0-9'),
    };
  }

  #required<T>(field: string, accepts: (value: unknown) => value is T, what: string): T {
    const value = this.#optional(field, accepts, what);
    if (value === undefined) throw this.#error(field, `is missing; set it to ${what}`);
    return value;
  }

  #optional<T>(field: string, accepts: (value: unknown) => value is T, what: string): T | undefined {
    const value = this.#fields.get(field);
    if (value === undefined) return undefined;
    if (!accepts(value)) throw this.#error(field, `is ${show(value)}; it must be ${what}`);
    return value;
  }

  #list<T>(field: string, accepts: (value: unknown) => value is T, most: number, what: string): T[] {
    const isList = (value: unknown): value is T[] =>
      Array.isArray(value) && value.length <= most && value.every(accepts);
    return this.#optional(field, isList, `an array of at most ${most} ${what}`) ?? [];
  }

  #error(field: string, fault: string): CatalogError {
    return new CatalogError(`${this.#where}: field ${show(field)} ${fault}`);
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
