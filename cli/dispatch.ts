import { ConfigError } from '../runtime/config.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { packageVersion } from '../runtime/version.ts';
import { type Command, CommandError, type Terminal, UsageError } from './console/command.ts';

/**
 * The commands of `gsq`. The code of a command is loaded only when it is needed, so that `--help` does not wait until
 * gRPC is loaded.
 */
const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  start: {
    summary: 'run core, gateway and prober together',
    load: async () => (await import('./commands/start.ts')).start,
  },
  'token create': {
    summary: 'create a token and print its secret once',
    load: async () => (await import('./commands/token.ts')).tokenCreate,
  },
  'token list': {
    summary: 'list tokens',
    load: async () => (await import('./commands/token.ts')).tokenList,
  },
  'token revoke': {
    summary: 'make a token invalid for good',
    load: async () => (await import('./commands/token.ts')).tokenRevoke,
  },
  'token rotate': {
    summary: 'give a token a new secret',
    load: async () => (await import('./commands/token-change.ts')).tokenRotate,
  },
  'token allow': {
    summary: 'change from where a token can be used',
    load: async () => (await import('./commands/token-change.ts')).tokenAllow,
  },
  'token expire': {
    summary: 'change when a token expires',
    load: async () => (await import('./commands/token-change.ts')).tokenExpire,
  },
  'token usage': {
    summary: 'show how much of its quota a token used',
    load: async () => (await import('./commands/token-look.ts')).tokenUsage,
  },
  'token check': {
    summary: 'check whether a secret is mistyped or incomplete',
    load: async () => (await import('./commands/token-look.ts')).tokenCheck,
  },
  'servers list': {
    summary: 'list tracked servers',
    load: async () => (await import('./commands/servers-list.ts')).serversList,
  },
  'servers add': {
    summary: 'track servers',
    load: async () => (await import('./commands/servers.ts')).serversAdd,
  },
  'servers remove': {
    summary: 'remove servers and their data',
    load: async () => (await import('./commands/servers.ts')).serversRemove,
  },
  'servers import': {
    summary: 'track the servers of a list',
    load: async () => (await import('./commands/servers-import.ts')).serversImport,
  },
  'servers export': {
    summary: 'write a list of the tracked servers',
    load: async () => (await import('./commands/servers-export.ts')).serversExport,
  },
  games: {
    summary: 'list the games',
    load: async () => (await import('./commands/games.ts')).games,
  },
  stats: {
    summary: 'show what the service tracks and does',
    load: async () => (await import('./commands/stats.ts')).stats,
  },
  top: {
    summary: 'show the same live, with rates',
    load: async () => (await import('./commands/top.ts')).top,
  },
  backup: {
    summary: 'save all stored data to a file',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'create a data directory from a backup',
    load: async () => (await import('./commands/backup.ts')).restore,
  },
  doctor: {
    summary: 'find problems and say how to fix them',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  query: {
    summary: 'query one game server directly, without the service',
    load: async () => (await import('./commands/query.ts')).query,
  },
};

function overview(prefix: string): string {
  const names = Object.keys(commands).filter(name => name.startsWith(prefix));
  const width = Math.max(...names.map(name => name.length));
  const lines = names.map(name => `  ${name.padEnd(width)}  ${commands[name]?.summary}\n`);
  return `Usage: gsq <command> [options]

Commands:
${lines.join('')}
gsq <command> --help explains one command. docs/cli.md explains all commands.
Data goes to stdout, messages go to stderr. Exit status: 0 ok, 1 failed or offline, 2 usage, 3 configuration,
4 credentials, 5 service unreachable.
`;
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', second = ''] = args;
  if (first === '--version') {
    terminal.out(`gsq ${packageVersion()}\n`);
    return exitStatus.ok;
  }
  if (first === '--help' || first === '-h' || first === 'help') {
    terminal.out(overview(''));
    return exitStatus.ok;
  }
  const name = Object.hasOwn(commands, first) ? first : `${first} ${second}`;
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (found) {
    const command = await found.load();
    const rest = args.slice(name.split(' ').length);
    const end = rest.indexOf('--');
    if (rest.slice(0, end < 0 ? undefined : end).some(arg => arg === '--help' || arg === '-h')) {
      terminal.out(command.help);
      return exitStatus.ok;
    }
    return command.run(rest, terminal).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${error.message}\nSee: gsq ${name} --help`);
    });
  }
  if (first.startsWith('-')) throw new UsageError(`write options after the command\n\n${overview('')}`);
  const isGroup = Object.keys(commands).some(known => known.startsWith(`${first} `));
  if (isGroup && (second === '--help' || second === '-h')) {
    terminal.out(overview(`${first} `));
    return exitStatus.ok;
  }
  if (isGroup && second.startsWith('-')) {
    throw new UsageError(`write options after the command\n\n${overview(`${first} `)}`);
  }
  const wrong = isGroup ? `the command "${first}" needs a subcommand` : `there is no command "${first}"`;
  throw new UsageError(
    `${first === '' ? 'a command is missing' : wrong}\n\n${overview(isGroup ? `${first} ` : '')}`,
  );
}

/** Runs a command line and returns its exit status. Never rejects: errors are printed to stderr. */
export async function runGsq(args: readonly string[], terminal: Terminal): Promise<number> {
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
