import { ConfigError } from '../runtime/config.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { packageVersion } from '../runtime/version.ts';
import { commands } from './command-list.ts';
import {
  type Arguments,
  type Command,
  CommandError,
  readArguments,
  type Terminal,
  UsageError,
} from './console/command.ts';
import { knownGames, suggestGames } from './console/game-search.ts';
import { commandHelp, paragraphs, proseOutput } from './console/help.ts';
import { withRunnableCommands } from './console/invocation.ts';
import type { Output } from './console/output.ts';
import { didYouMean, nearest } from './console/suggestion.ts';
import { TextTable } from './console/text-table.ts';

const names = Object.keys(commands);

function overview(prefix: string, to: Output): string {
  const output = proseOutput(to);
  const rows = names
    .filter(name => name.startsWith(prefix))
    .map(name => [`  ${name}`, commands[name]?.summary ?? '']);
  const end = `gsq <command> --help explains one command. docs/cli.md explains all commands.

Data goes to stdout, messages go to stderr. Exit status: 0 ok, 1 failed or offline, 2 usage, 3 configuration,
4 credentials, 5 service unreachable.`;
  return `${withRunnableCommands('Usage: gsq <command> [options]')}

Commands:
${new TextTable(output).format(rows)}
${paragraphs(withRunnableCommands(end), output)}
`;
}

/** Returns the commands that the user perhaps meant by an unknown command. */
function meantCommands(first: string, second: string): string[] {
  const subcommands = names.filter(name => name.endsWith(` ${first}`));
  const typed = nearest(`${first} ${second}`.trim(), names);
  const meant = [...subcommands, ...typed];
  const groups = names.filter(name => name.includes(' ')).map(name => name.split(' ', 1).join());
  const found = meant.length > 0 ? meant : nearest(first, groups).map(group => `${group} --help`);
  return found.map(name => `"gsq ${name}"`).slice(0, 3);
}

/** The error for a command line without a known command. Suggests commands, or lists all of them. */
function unknownCommand(first: string, second: string, { stderr }: Terminal): UsageError {
  const isGroup = names.some(known => known.startsWith(`${first} `));
  const group = isGroup ? `${first} ` : '';
  if (first.startsWith('-') || (isGroup && second.startsWith('-')))
    return new UsageError(`write options after the command\n\n${overview(group, stderr)}`);
  if (first === '') return new UsageError(`a command is missing\n\n${overview('', stderr)}`);
  const typed = isGroup && second !== '' ? `${first} ${second}` : first;
  const wrong =
    isGroup && second === '' ? `the command "${first}" needs a subcommand` : `there is no command "${typed}"`;
  const meant = isGroup && second === '' ? [] : meantCommands(first, second);
  if (meant.length > 0) return new UsageError(`${wrong}${didYouMean(meant)}\nSee: gsq --help`);
  return new UsageError(`${wrong}\n\n${overview(group, stderr)}`);
}

/**
 * Returns the game ids in the first argument and in the option values of a command line. For an option value
 * `game_id/address`, returns the part before the slash.
 */
function namedGames({ operand, options }: Command, read: Arguments): string[] {
  const fromOptions = Object.entries(options)
    .filter(([, { values }]) => values === 'games')
    .flatMap(([name]) => read.values(name).map(value => value.replace(/\/.*$/s, '')));
  return [...(operand === 'games' ? read.positionals.slice(0, 1) : []), ...fromOptions];
}

/** Suggests games if the command line of a failed command contains an unknown game. */
function suggestForGames(command: Command, read: Arguments, terminal: Terminal): void {
  for (const word of namedGames(command, read)) {
    const meant = suggestGames(word, knownGames(read.config.GSQ_CATALOG));
    if (meant && meant.length > 0)
      terminal.talk(`gsq: the catalog has no game "${word}"${didYouMean(meant)}`);
  }
}

async function runCommand(name: string, args: readonly string[], terminal: Terminal): Promise<number> {
  const command = await commands[name]?.load();
  if (!command) throw new Error(`no command ${name}`);
  const end = args.indexOf('--');
  if (args.slice(0, end < 0 ? undefined : end).some(arg => arg === '--help' || arg === '-h')) {
    terminal.out(commandHelp(name, command, withRunnableCommands, terminal.stdout));
    return exitStatus.ok;
  }
  let read: Arguments | undefined;
  let status: number = exitStatus.failed;
  try {
    read = readArguments(args, command.options, terminal);
    status = await command.run(read, terminal);
    if (status !== exitStatus.ok) suggestForGames(command, read, terminal);
    return status;
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}\nSee: gsq ${name} --help`);
    if (read && error instanceof CommandError && error.status === exitStatus.usage) {
      terminal.talk(`gsq: ${error.message}`);
      suggestForGames(command, read, terminal);
      return error.status;
    }
    throw error;
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', second = ''] = args;
  if (first === '--version') {
    terminal.out(`gsq ${packageVersion()}\n`);
    return exitStatus.ok;
  }
  if (first === '--help' || first === '-h' || first === 'help') {
    terminal.out(overview('', terminal.stdout));
    return exitStatus.ok;
  }
  const name = [first, `${first} ${second}`].find(known => Object.hasOwn(commands, known));
  if (name !== undefined) return runCommand(name, args.slice(name.split(' ').length), terminal);
  const isGroup = names.some(known => known.startsWith(`${first} `));
  if (isGroup && (second === '--help' || second === '-h')) {
    terminal.out(overview(`${first} `, terminal.stdout));
    return exitStatus.ok;
  }
  throw unknownCommand(first, second, terminal);
}

/** Runs a command line and returns its exit status. Never rejects: errors are printed to stderr. */
export async function runGsq(args: readonly string[], given: Terminal): Promise<number> {
  const terminal: Terminal = { ...given, talk: line => given.talk(withRunnableCommands(line)) };
  try {
    return await dispatch(args, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.talk(`gsq: ${error.message}`);
      return exitStatus.usage;
    }
    if (error instanceof ConfigError) {
      terminal.talk(`gsq: ${error.message}`);
      return exitStatus.configuration;
    }
    if (error instanceof CommandError) {
      terminal.talk(`gsq: ${error.message}`);
      return error.status;
    }
    terminal.talk(`gsq: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return exitStatus.failed;
  }
}
