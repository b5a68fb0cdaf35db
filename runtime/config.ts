import { isIP } from 'node:net';
import { readSecretFile, SecretFileError } from './secret-file.ts';

/** A setting that cannot be used. `message` names the setting, what is wrong with it and what it may be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** `host` without brackets. */
export interface Endpoint {
  host: string;
  port: number;
}

interface Values {
  address: Endpoint;
  /** Milliseconds. */
  duration: number;
  /** Bytes. */
  size: number;
  integer: number;
  text: string;
  list: string[];
  level: string;
}

export interface Definition {
  readonly kind: keyof Values;
  readonly default: string | null;
  readonly secret?: true;
  readonly min?: number;
  readonly minLength?: number;
}

/** Settings by name. */
export type Table = Readonly<Record<string, Definition>>;

/** What a setting is, as text, and who said so. */
export interface GivenSetting {
  /** `undefined` where it is not set. */
  text: string | undefined;
  /** As the layer that has it is called; `default` where none has. */
  source: string;
  /** Of a secret that is read from a file: its path. */
  file?: string;
}

/** Settings in environment form from one place. */
export interface Layer {
  source: string;
  given: Readonly<Record<string, string | undefined>>;
}

/** The values of a table of settings, under the names of the table. */
export type Config<T extends Record<string, Definition>> = {
  readonly [K in keyof T]: T[K]['default'] extends null
    ? Values[T[K]['kind']] | undefined
    : Values[T[K]['kind']];
};

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const DURATION_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZE_BYTES: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Writes an endpoint as it is dialled: IPv6 in brackets. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `host:port`, `[v6]:port` or `:port` (all interfaces). Throws ConfigError. */
export function parseEndpoint(text: string, name: string): Endpoint {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const isBadIPv6 = match?.[1] !== undefined && isIP(match[1]) !== 6;
  if (!match || port > 65535 || isBadIPv6) {
    throw new ConfigError(`${name}: "${text}" is not an address; write host:port, such as 127.0.0.1:8080`);
  }
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

function parseQuantity(text: string, name: string, units: Record<string, number>, example: string): number {
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text);
  const unit = Object.hasOwn(units, match?.[2] ?? '') ? units[match?.[2] ?? ''] : undefined;
  if (!match || unit === undefined) {
    throw new ConfigError(
      `${name}: "${text}" is not understood; write a number and one of ${Object.keys(units).join(', ')}, such as ${example}`,
    );
  }
  const value = Number(match[1]) * unit;
  if (value > Number.MAX_SAFE_INTEGER) throw new ConfigError(`${name}: "${text}" is too large`);
  return value;
}

// What a timer can hold; Node fires at once on anything longer.
const MAX_DURATION_MS = 2 ** 31 - 1;

function parseDuration(text: string, name: string): number {
  const ms = parseQuantity(text, name, DURATION_MS, '10s');
  if (ms > MAX_DURATION_MS) throw new ConfigError(`${name}: "${text}" is too large; at most 24d`);
  return ms;
}

function parseInteger(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new ConfigError(`${name}: "${text}" is not a number; write digits only, such as 10`);
  return Number(text);
}

function parseLevel(text: string, name: string): string {
  if (!LEVELS.includes(text)) throw new ConfigError(`${name}: "${text}" is not one of ${LEVELS.join(', ')}`);
  return text;
}

// An empty secret or path is a mistake in a script far more often than a wish.
function parseText(text: string, name: string): string {
  if (text === '') throw new ConfigError(`${name}: is empty; give it a value or leave it out`);
  return text;
}

const parsers: { [K in keyof Values]: (text: string, name: string) => Values[K] } = {
  address: parseEndpoint,
  duration: parseDuration,
  size: (text, name) => parseQuantity(text, name, SIZE_BYTES, '64MiB'),
  integer: parseInteger,
  text: parseText,
  list: text =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  level: parseLevel,
};

function parse(name: string, definition: Definition, text: string): Values[keyof Values] {
  const shown = definition.secret ? '(hidden)' : text;
  const value = parsers[definition.kind](text, name);
  if (typeof value === 'number' && definition.min !== undefined && value < definition.min) {
    throw new ConfigError(
      `${name}: "${shown}" is too small; at least ${definition.min}${definition.kind === 'duration' ? 'ms' : ''} is needed`,
    );
  }
  if (definition.minLength !== undefined && text.length < definition.minLength) {
    throw new ConfigError(`${name}: is too short; at least ${definition.minLength} characters are needed`);
  }
  return value;
}

/** The environment name a flag stands for: `--http-addr` is GSQ_HTTP_ADDR. */
function nameOfFlag(flag: string): string {
  return `GSQ_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** Reads `--name value` and `--name=value` into environment form. Throws ConfigError on anything else. */
export function flagsAsEnvironment(
  table: Record<string, Definition>,
  args: readonly string[],
): Record<string, string> {
  const given: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const [flag = '', inline] = (args[i] ?? '').split(/=(.*)/s, 2);
    const name = nameOfFlag(flag);
    if (!flag.startsWith('--') || !Object.hasOwn(table, name.replace(/_FILE$/, ''))) {
      throw new ConfigError(`${flag}: no such flag; the flags are those of docs/configuration.md`);
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new ConfigError(`${flag}: needs a value`);
    given[name] = value;
  }
  return given;
}

/** `readSecretFile`, for a file that a setting names. Throws ConfigError, which begins with the setting. */
export function secretFile(setting: string, path: string): Buffer | undefined {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`${setting}: ${error.message}`) : error;
  }
}

function readSecret(name: string, path: string): string {
  const content = secretFile(name, path);
  if (!content) throw new ConfigError(`${name}: cannot read ${path}: there is no such file (ENOENT)`);
  return content.toString('utf8').replace(/\r?\n$/, '');
}

/** Finds each setting in the last layer that has it, or its default. Throws ConfigError on any GSQ_* name that is none. */
function findSettings(table: Table, layers: readonly Layer[]): Map<string, GivenSetting> {
  const given: Record<string, string | undefined> = Object.assign({}, ...layers.map(layer => layer.given));
  for (const name of Object.keys(given)) {
    if (!name.startsWith('GSQ_') || Object.hasOwn(table, name)) continue;
    const base = name.replace(/_FILE$/, '');
    if (base !== name && Object.hasOwn(table, base) && table[base]?.secret) continue;
    throw new ConfigError(`${name}: no such setting; see docs/configuration.md for those there are`);
  }
  const sourceOf = (name: string): string =>
    layers.findLast(layer => layer.given[name] !== undefined)?.source ?? 'default';
  const found = new Map<string, GivenSetting>();
  for (const [name, definition] of Object.entries(table)) {
    const fileName = `${name}_FILE`;
    const file = definition.secret ? given[fileName] : undefined;
    if (file !== undefined && given[name] !== undefined) {
      throw new ConfigError(`${name} and ${fileName} are both set; keep one`);
    }
    if (file === undefined) {
      found.set(name, { text: given[name] ?? definition.default ?? undefined, source: sourceOf(name) });
    } else {
      found.set(name, { text: readSecret(fileName, file), source: sourceOf(fileName), file });
    }
  }
  return found;
}

/** What every setting of `table` is and where that is said, in the order of the table. Throws as `loadConfig` does. */
export function givenSettings(table: Table, layers: readonly Layer[]): Map<string, GivenSetting> {
  const found = findSettings(table, layers);
  parseAll(table, found);
  return found;
}

function parseAll(table: Table, found: ReadonlyMap<string, GivenSetting>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(table)) {
    const text = found.get(name)?.text;
    values[name] = text === undefined ? undefined : parse(name, definition, text);
  }
  return values;
}

/** The places a process reads its settings from, the last of which wins. Throws ConfigError on a flag that is none. */
export function processLayers(table: Table, env: Layer['given'], args: readonly string[]): Layer[] {
  return [
    { source: 'environment', given: env },
    { source: 'flag', given: flagsAsEnvironment(table, args) },
  ];
}

/**
 * Reads every setting of `table` from flags, then the environment, then its default, and freezes the result.
 * Throws ConfigError on a bad value and on any GSQ_* name that is not in the table.
 */
export function loadConfig<const T extends Record<string, Definition>>(
  table: T,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Config<T> {
  return Object.freeze(parseAll(table, findSettings(table, processLayers(table, env, args)))) as Config<T>;
}
