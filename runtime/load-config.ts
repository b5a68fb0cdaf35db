import type { Config, Definition, Table } from './config.ts';
import { findSettings, type GivenSetting, type Layer, processLayers } from './config-sources.ts';
import { parseSetting } from './setting-value.ts';

/**
 * Reads each setting of `table` from the flags, the environment or its default, in this order. The result is frozen.
 * Throws ConfigError if a value is invalid or a GSQ_* name is not in the table.
 */
export function loadConfig<const T extends Record<string, Definition>>(
  table: T,
  env: Layer['given'],
  args: readonly string[],
): Config<T> {
  return Object.freeze(parseAll(table, findSettings(table, processLayers(table, env, args)))) as Config<T>;
}

/**
 * Returns the text of each setting and its source, for example `flag` or `environment`. Keeps the order of `table`.
 * Throws ConfigError in the same cases as `loadConfig`.
 */
export function givenSettings(table: Table, layers: readonly Layer[]): Map<string, GivenSetting> {
  const found = findSettings(table, layers);
  parseAll(table, found);
  return found;
}

function parseAll(table: Table, found: ReadonlyMap<string, GivenSetting>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(table)) {
    const text = found.get(name)?.text;
    values[name] = text === undefined ? undefined : parseSetting(name, definition, text);
  }
  return values;
}
