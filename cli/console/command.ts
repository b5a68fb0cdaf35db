import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Now } from '../../runtime/clock.ts';
import type { Config } from '../../runtime/config.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';
import type { LiveScreen } from './live-screen.ts';
import type { Output } from './output.ts';
import type { StatusLine } from './status-line.ts';
import { didYouMean, nearest } from './suggestion.ts';

/** The error for a command line that is not valid. The exit status is 2, and the message refers to `--help`. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The error for a command that failed. Its message contains the reason, and `status` is the exit status. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The environment variables and the output streams of a `gsq` command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes data to stdout. */
  out(text: string): void;
  /**
   * Waits until the buffer of `out` has space again. A command with much output calls this function regularly, so that
   * the buffer does not fill the memory. Absent if `out` has no buffer.
   */
  readonly drained?: (() => Promise<void>) | undefined;
  /**
   * Makes the command continue even if the reader of stdout closes the pipe, as `head` does. If a command does not call
   * this function, gsq exits with status 0 as soon as the pipe is closed.
   */
  readonly finishWithoutReader?: (() => void) | undefined;
  /** Writes a line to stderr, for messages, errors and all other output that is not data. */
  talk(line: string): void;
  /** Opens a screen that fills the whole terminal, for `gsq top`. Absent if stdin or stdout is not a terminal. */
  readonly openScreen?: (() => LiveScreen) | undefined;
  /** The last line of the terminal, in which a command shows its progress. Absent if stderr is not a terminal. */
  readonly statusLine?: StatusLine | undefined;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: Now;
}

/** An option of a command. The help text, the parser and the completion of shells use the same definition. */
export interface OptionDefinition {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** Placeholder for the value of the option in the help text, such as `<file>`. Absent for a boolean option. */
  readonly value?: string;
  /** Text that explains the option in the help text of the command: one or more sentences. */
  readonly about: string;
  /**
   * Values that shells suggest for this option: a list, or `games` for the ids of all games. Absent if shells complete
   * file names.
   */
  readonly values?: readonly string[] | 'games';
}

/** A command of the command-line tool `gsq`. */
export interface Command {
  /** The arguments of each form of the command, such as `<id> [--json]`. */
  readonly usage: readonly string[];
  /** Text that explains the command in its help. An empty line separates two paragraphs. */
  readonly about: string;
  readonly options: Readonly<Record<string, OptionDefinition>>;
  /**
   * Values that shells suggest for the first argument of the command: a list, or `games` for the ids of all games.
   * Absent if shells suggest no values.
   */
  readonly operand?: readonly string[] | 'games';
  /** Paragraphs that follow the options in the help text of the command. */
  readonly notes?: string;
  /**
   * Name of the setting that contains the address of the core, for the help text of the command. Absent if the command
   * can also work without a running core.
   */
  readonly calls?: 'GSQ_INTERNAL_ADDR';
  /**
   * Runs the command and returns its exit status. Rejects with UsageError if the command line is invalid, with
   * ConfigError if a setting is invalid, and with CommandError if the command fails.
   */
  run(read: Arguments, terminal: Terminal): Promise<number>;
}

/** All `gsq` commands, keyed by name. The code of a command is loaded only when it is needed. */
export type CommandList = Readonly<Record<string, { summary: string; load: () => Promise<Command> }>>;

type Options = NonNullable<ParseArgsConfig['options']>;

/** The parsed command line of a `gsq` command. */
export interface Arguments {
  positionals: readonly string[];
  config: Config<typeof settings>;
  /** The settings that were passed as flags, keyed by the name of their environment variable. */
  given: Readonly<Record<string, string>>;
  flag(name: string): boolean;
  /**
   * Returns the value of an option, or undefined if the option was not passed. If the option was passed several times,
   * returns the last value.
   */
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

function flagOf(setting: string): string {
  return setting.slice('GSQ_'.length).toLowerCase().replaceAll('_', '-');
}

/**
 * Returns a map from the flags of all settings to their environment variables. For example, the flag of GSQ_HTTP_ADDR
 * is `http-addr`. A secret also has a flag that ends in `-file`.
 */
export function settingFlags(): Map<string, string> {
  const flags = new Map<string, string>();
  for (const [name, setting] of Object.entries(settings)) {
    flags.set(flagOf(name), name);
    if ('secret' in setting) flags.set(`${flagOf(name)}-file`, `${name}_FILE`);
  }
  return flags;
}

/** Parses a command line. Turns the strict mode of `parseArgs` off, so that gsq reports errors in its own words. */
function parse(args: readonly string[], options: Options) {
  const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const meant = nearest(name, Object.keys(options)).map(known => `--${known}`);
      throw new UsageError(`there is no option ${rawName}${didYouMean(meant)}`);
    }
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    } else if (value === undefined || (!inlineValue && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value; if the value starts with a dash, write ${rawName}=-…`);
    }
  }
  return parsed;
}

/**
 * Parses the options of a command, and the flags of all settings, which every command accepts. Throws UsageError if an
 * option is unknown or used wrongly, and ConfigError if a setting is invalid.
 */
export function readArguments(
  args: readonly string[],
  own: Command['options'],
  terminal: Pick<Terminal, 'env'>,
): Arguments {
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
