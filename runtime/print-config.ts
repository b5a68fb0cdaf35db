import type { Config, Definition, Table } from './config.ts';
import { type GivenSetting, type Layer, processLayers } from './config-sources.ts';
import { givenSettings, loadConfig } from './load-config.ts';

/** The flag that makes a process print its settings and end. */
export const PRINT_CONFIG = '--print-config';

/** Text that is printed in place of a secret. */
export const HIDDEN = '<hidden>';

/**
 * Matches the part of a URL that can contain a user and a password: from `://` to the last `@` before the query.
 * `printConfig` hides this part.
 */
const URL_CREDENTIALS = /:\/\/[^?#\s]*@/g;
/** Matches a text that a shell reads correctly without quotes. */
const PLAIN = /^[\w.,:/@%+-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they would break the line, or the terminal.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Quotes a text for a shell. The result is a single line. */
function quote(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = [...text].map(char => {
    if (char === "'" || char === '\\') return `\\${char}`;
    return CONTROL.test(char) ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char;
  });
  return `$'${escaped.join('')}'`;
}

function printSetting(name: string, { text, source, file }: GivenSetting, secret: boolean): string {
  if (file !== undefined) return `${name}_FILE=${quote(file)}  # file named by ${source}; ${name}=${HIDDEN}`;
  // If a setting has no value, or if a part of its value is hidden, its line begins with `#`. A shell ignores such a
  // line.
  if (text === undefined) return `#${name}=  # ${source}, not set`;
  if (secret) return `#${name}=${HIDDEN}  # ${source}`;
  const shown = text.replace(URL_CREDENTIALS, `://${HIDDEN}@`);
  return `${shown === text ? '' : '#'}${name}=${quote(shown)}  # ${source}`;
}

/**
 * Returns a text with one line for each setting of `table`: a shell assignment and the source of the setting. Secrets
 * are hidden. Throws ConfigError in the same cases as `loadConfig`.
 */
export function printConfig(table: Table, layers: readonly Layer[]): string {
  const lines = [...givenSettings(table, layers)].map(([name, given]) =>
    printSetting(name, given, table[name]?.secret === true),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the settings of this process. If the flag `--print-config` is set, validates the settings with `check`,
 * prints them and returns undefined. Throws ConfigError if a setting is invalid.
 */
export function configOrPrint<const T extends Record<string, Definition>>(
  table: T,
  check: (config: Config<T>) => void,
): Config<T> | undefined {
  const args = process.argv.slice(2);
  const flags = args.filter(arg => arg !== PRINT_CONFIG);
  const config = loadConfig(table, process.env, flags);
  if (flags.length === args.length) return config;
  check(config);
  process.stdout.write(printConfig(table, processLayers(table, process.env, flags)));
  return undefined;
}
