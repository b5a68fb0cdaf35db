import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Config } from '../runtime/config.ts';
import { loadConfig } from '../runtime/load-config.ts';
import { settings } from '../runtime/settings.ts';
import type { LiveScreen } from './live-screen.ts';

/** A command line that cannot be understood; ends the command with status 2 and a hint at its help. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A command that failed for a reason its message tells; ends it with `status`. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The world around a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Data, for stdout. */
  out(text: string): void;
  /** Everything else, one line for stderr. */
  talk(line: string): void;
  /** Takes the terminal over; absent where stdin and stdout are none. */
  readonly openScreen?: (() => LiveScreen) | undefined;
}

/** One command of `gsq`. */
export interface Command {
  /** What `--help` prints. */
  readonly help: string;
  /** Returns the exit status. Throws UsageError, ConfigError or CommandError. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** A command line that was read. */
export interface Arguments {
  positionals: readonly string[];
  config: Config<typeof settings>;
  /** The setting flags, in environment form. */
  given: Readonly<Record<string, string>>;
  flag(name: string): boolean;
  /** The last value given, if any. */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

function flagOf(setting: string): string {
  return setting.slice('GSQ_'.length).toLowerCase().replaceAll('_', '-');
}

/** `--http-addr` and the like, and for secrets `--..-file` as well. */
function settingFlags(): Map<string, string> {
  const flags = new Map<string, string>();
  for (const [name, setting] of Object.entries(settings)) {
    flags.set(flagOf(name), name);
    if ('secret' in setting) flags.set(`${flagOf(name)}-file`, `${name}_FILE`);
  }
  return flags;
}

/** Lenient itself, so that what is wrong is told in words of ours. */
function parse(args: readonly string[], options: Options) {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw new UsageError(`there is no option ${rawName}`);
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    } else if (value === undefined || (!inlineValue && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value; one that starts with a dash is written ${rawName}=-…`);
    }
  }
  return parsed;
}

/**
 * Reads a command's own options together with the flags of all settings, which every command takes.
 * Throws UsageError on an unknown or misused option, ConfigError on a setting that cannot be used.
 */
export function readArguments(args: readonly string[], own: Options, terminal: Terminal): Arguments {
  const flags = settingFlags();
  const options: Options = {};
  for (const flag of flags.keys()) options[flag] = { type: 'string' };
  const { values, positionals } = parse(args, { ...options, ...own });
  const given: Record<string, string> = {};
  for (const [flag, name] of flags) {
    const value = values[flag];
    if (typeof value === 'string' && !Object.hasOwn(own, flag)) given[name] = value;
  }
  const texts = (name: string): string[] =>
    [values[name] ?? []].flat().filter(value => typeof value === 'string');
  return {
    positionals,
    given,
    config: loadConfig(settings, { ...terminal.env, ...given }, []),
    flag: name => values[name] === true,
    value: name => texts(name).at(-1),
    values: texts,
  };
}
