import { type CommandList, type OptionDefinition, settingFlags } from './command.ts';

/** The words that a shell completes after one command of `gsq`, for example when the user presses Tab. */
export interface CompletedCommand {
  /** Name of the command, such as `token list`. */
  name: string;
  /**
   * Possible values of the first argument of the command, which the shell completes. Empty if the shell completes file
   * names instead.
   */
  operands: readonly string[];
  options: readonly CompletedOption[];
}

/** An option of a `gsq` command, for the shell completion. */
export interface CompletedOption {
  /** Name of the option with its two dashes, such as `--json`. */
  flag: string;
  takesValue: boolean;
  /** Possible values of the option, which the shell completes. Empty if the shell completes file names instead. */
  values: readonly string[];
}

/**
 * All words that a shell can complete on a `gsq` command line: commands, their options and values, and the flags of the
 * settings.
 */
export interface CompletionWords {
  /** For commands of two words, such as `token list`: the possible second words, keyed by the first word. */
  groups: ReadonlyMap<string, readonly string[]>;
  commands: readonly CompletedCommand[];
  /** The flags of all settings, with their two dashes. Every command accepts them. */
  settings: readonly string[];
}

/** Collects the words for shell completion. They come from the same definitions as the help texts and the parser. */
export async function completionWords(
  commands: CommandList,
  games: readonly string[],
): Promise<CompletionWords> {
  const listed = (values: OptionDefinition['values']) => (values === 'games' ? games : (values ?? []));
  const groups = new Map<string, string[]>();
  const completed: CompletedCommand[] = [];
  for (const [name, { load }] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ');
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
    const { operand, options } = await load();
    const own = Object.entries(options).map(([option, { type, values }]) => ({
      flag: `--${option}`,
      takesValue: type === 'string',
      values: listed(values),
    }));
    completed.push({ name, operands: listed(operand), options: own });
  }
  return { groups, commands: completed, settings: [...settingFlags().keys()].map(flag => `--${flag}`) };
}
