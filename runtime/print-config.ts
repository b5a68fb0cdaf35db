import type { Config, Definition, Table } from './config.ts';
import { type GivenSetting, type Layer, processLayers } from './config-sources.ts';
import { givenSettings, loadConfig } from './load-config.ts';

/** The flag that asks a process for its settings instead of its work. */
export const PRINT_CONFIG = '--print-config';

export const HIDDEN = '<hidden>';

/** User and password in a URL. Rather too much than too little: an `@` of a path hides what is before it. */
const URL_CREDENTIALS = /:\/\/[^?#\s]*@/g;
/** What a shell takes as it stands. */
const PLAIN = /^[\w.,:/@%+-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what would break the line, or the terminal.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A text as a shell reads it, on one line. */
function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = [...text].map(char => {
    if (char === "'" || char === '\\') return `\\${char}`;
    return CONTROL.test(char) ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char;
  });
  return `$'${escaped.join('')}'`;
}

function printed(name: string, { text, source, file }: GivenSetting, secret: boolean): string {
  if (file !== undefined) return `${name}_FILE=${quoted(file)}  # file named by ${source}; ${name}=${HIDDEN}`;
  // What is no assignment that could be pasted stands behind a #.
  if (text === undefined) return `#${name}=  # ${source}, not set`;
  if (secret) return `#${name}=${HIDDEN}  # ${source}`;
  const shown = text.replace(URL_CREDENTIALS, `://${HIDDEN}@`);
  return `${shown === text ? '' : '#'}${name}=${quoted(shown)}  # ${source}`;
}

/**
 * Every setting of `table` with the value it has and where that is said, one a line, as a shell would read them. Secrets are
 * not in it. Throws ConfigError as `loadConfig` does.
 */
export function printConfig(table: Table, layers: readonly Layer[]): string {
  const lines = [...givenSettings(table, layers)].map(([name, given]) =>
    printed(name, given, table[name]?.secret === true),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * The settings of this process; undefined where `--print-config` asked for them, which have then been judged by `check`
 * and printed. Throws ConfigError.
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
