import { ConfigError, secretFile, type Table } from './config.ts';

/**
 * Environment variables that the example clients in the docs read. gsq ignores them. Any other unknown GSQ_* name is an
 * error.
 */
const CLIENT_NAMES: ReadonlySet<string> = new Set(['GSQ_URL', 'GSQ_CA', 'GSQ_TOKEN', 'GSQ_EMAIL']);

/** Settings from one source, keyed by the name of the environment variable. */
export interface Layer {
  /** Where the settings come from, such as `environment`, `flag` or `gsq start`. */
  source: string;
  given: Readonly<Record<string, string | undefined>>;
}

/** The text of a setting and its source. */
export interface GivenSetting {
  /** Text of the setting. `undefined` if the setting is absent. */
  text: string | undefined;
  /** Name of the source that contains the setting, such as `environment`; `default` if no source contains it. */
  source: string;
  /** Path of the file from which the value of a secret setting was read. */
  file?: string;
}

/**
 * Returns the layers from which a process reads its settings: the environment, then the flags. A later layer overrides
 * an earlier one. Throws ConfigError if a flag is not in `table`.
 */
export function processLayers(table: Table, env: Layer['given'], args: readonly string[]): Layer[] {
  return [
    { source: 'environment', given: env },
    { source: 'flag', given: flagsAsEnvironment(table, args) },
  ];
}

/**
 * Converts `--name value` and `--name=value` to names and values of environment variables. Throws ConfigError if an
 * argument has neither form.
 */
export function flagsAsEnvironment(table: Table, args: readonly string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const [flag = '', inline] = (args[i] ?? '').split(/=(.*)/s, 2);
    const name = nameOfFlag(flag);
    if (!flag.startsWith('--') || !Object.hasOwn(table, name.replace(/_FILE$/, ''))) {
      throw new ConfigError(`${flag}: there is no such flag; docs/configuration.md lists all flags`);
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new ConfigError(`${flag}: needs a value`);
    given[name] = value;
  }
  return given;
}

/** Returns the name of the environment variable for a flag. For example, `--http-addr` becomes GSQ_HTTP_ADDR. */
function nameOfFlag(flag: string): string {
  return `GSQ_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/**
 * Finds the text of each setting of `table` in `layers` (sources of settings). A later layer overrides an earlier one.
 * Throws ConfigError if a name is unknown, a secret file is unreadable, or a setting and its `_FILE` form are both set.
 */
export function findSettings(table: Table, layers: readonly Layer[]): Map<string, GivenSetting> {
  const given: Record<string, string | undefined> = Object.assign({}, ...layers.map(layer => layer.given));
  checkNames(table, Object.keys(given));
  const sourceOf = (name: string): string =>
    layers.findLast(layer => layer.given[name] !== undefined)?.source ?? 'default';
  const found = new Map<string, GivenSetting>();
  for (const [name, definition] of Object.entries(table)) {
    const fileName = `${name}_FILE`;
    const file = definition.secret ? given[fileName] : undefined;
    if (file !== undefined && given[name] !== undefined) {
      throw new ConfigError(`${name} and ${fileName} are both set; set only one of them`);
    }
    if (file === undefined) {
      found.set(name, { text: given[name] ?? definition.default ?? undefined, source: sourceOf(name) });
    } else {
      found.set(name, { text: readSecret(fileName, file), source: sourceOf(fileName), file });
    }
  }
  return found;
}

function checkNames(table: Table, names: readonly string[]): void {
  for (const name of names) {
    if (!name.startsWith('GSQ_') || Object.hasOwn(table, name) || CLIENT_NAMES.has(name)) continue;
    const base = name.replace(/_FILE$/, '');
    if (base !== name && Object.hasOwn(table, base) && table[base]?.secret) continue;
    throw new ConfigError(`${name}: there is no such setting; docs/configuration.md lists all settings`);
  }
}

function readSecret(name: string, path: string): string {
  const content = secretFile(name, path);
  if (!content) throw new ConfigError(`${name}: cannot read ${path}: there is no such file (ENOENT)`);
  return content.toString('utf8').replace(/\r?\n$/, '');
}
