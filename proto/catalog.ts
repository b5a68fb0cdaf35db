import { jsonErrorPosition } from '../runtime/json-position.ts';

/**
 * What is needed beside the address to ask a game's servers. `credentials`: a password, key or token of the
 * server. `option`: something that only its operator knows, such as a guild id. `directory`: the server is
 * looked up in a list of the game's owner.
 */
export const needs = ['credentials', 'option', 'directory'] as const;
export type Need = (typeof needs)[number];

/** One game of `catalog.json`. Only `id` and `name` ever leave the service. */
export interface CatalogGame {
  /** The id of the game, which a fetch calls `game_id`; it matches `[a-z0-9]+`. */
  readonly id: string;
  /** Display name, never empty. */
  readonly name: string;
  /**
   * The protocol of the game's servers: `a2s` (gamedig's valve), `minecraft` (Java), `bedrock`, otherwise
   * gamedig's own name of the protocol (`quake3`, `gamespy3`, `goldsrc`, `mumbleping`, `discord` ...).
   */
  readonly protocol: string;
  /** gamedig's id of the game; equal to `id` if the file omits it. */
  readonly gamedigId: string;
  /** Default port to join at. */
  readonly port?: number;
  /** The default query port of the game, independent of the join port. */
  readonly queryPort?: number;
  /** True if that one port answers for all servers of a host, told apart by their join ports. */
  readonly queryPortForAll?: boolean;
  /** Distances from the join port to the ports that may answer queries, likeliest first. */
  readonly queryPortOffsets: readonly number[];
  /** What is needed beside the address to ask a server; empty if nothing is. */
  readonly needs: readonly Need[];
  /**
   * The directory that lists the servers; set exactly if `needs` contains `directory`. Servers of one
   * directory are leased to one prober, so that its rate limit holds for all probers together.
   */
  readonly directory?: string;
  /** Other ids that requests may use; they are not listed. */
  readonly aliases: readonly string[];
}

/** A catalog that cannot be used. The message says what is wrong, where, and how to mend it. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}

/** Largest catalog file that is read, in bytes. The catalog of all games of gamedig takes about 40 KiB. */
export const MAX_CATALOG_BYTES = 4 * 1024 * 1024;

const MAX_GAMES = 10_000;
const MAX_ALIASES = 32;
const MAX_OFFSETS = 8;
const MAX_PORT = 65_535;
const WORD = /^[a-z0-9]{1,64}$/;
// Control characters, and those that reorder or hide text, would reach callers' screens.
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
 * Reads the text of a catalog file: a JSON array of games, in the order in which they are listed.
 * `source` names the file in errors. Throws CatalogError at the first fault.
 */
export function parseCatalog(text: string, source: string): CatalogGame[] {
  // A UTF-8 text has at least as many bytes as UTF-16 units, so this check accepts no file that the reader
  // refused.
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
 * The ports to ask about a server that a caller named `host:port`, likeliest first, each once, within
 * 1-65535: the given port plus the game's offsets, the given port itself (callers may know the query port),
 * and the game's fixed query port if the given port is the game's default. gamedig uses the same order. If
 * one query port answers for all servers of a host, only that one.
 */
export function queryPorts(game: CatalogGame, port: number): number[] {
  if (game.queryPortForAll && game.queryPort !== undefined) return [game.queryPort];
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

/** Reads one entry field by field, so that every error can name the entry and the field. */
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
