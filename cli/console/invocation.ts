import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quote } from './shell-text.ts';

/** Path of the file that runs gsq from any working directory. */
export const EXECUTABLE = fileURLToPath(new URL('../gsq.mjs', import.meta.url));
const PROJECT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Environment variable whose value is the name under which gsq was installed. The script deploy/systemd/gsq sets it.
 * The name of the variable itself does not begin with GSQ_, because only names of settings do.
 */
const INSTALLED = 'INSTALLED_GSQ';

/** The environment and the working directory in which a user started gsq. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  directory: string;
}

/** Returns true if a shell finds this installation of gsq under the name `gsq`. */
function isOnPath(path: string): boolean {
  return path.split(delimiter).some(folder => {
    try {
      return realpathSync(join(folder, 'gsq')) === realpathSync(EXECUTABLE);
    } catch {
      return false;
    }
  });
}

/** Returns the shortest command that starts gsq in the shell of the user, such as `npx gsq` or `gsq`. */
function programName({ env, directory }: Surroundings): string {
  // If the script deploy/systemd/gsq has started gsq, the user must run all commands with this script. Only this script
  // passes the settings and the secret of the systemd units to gsq.
  if (env[INSTALLED]) return env[INSTALLED];
  if (env.npm_command === 'run-script' || env.npm_command === 'start') {
    const elsewhere = env.INIT_CWD !== undefined && env.INIT_CWD !== directory;
    // `--prefix` runs gsq in the folder of the project, because the data directory depends on the working directory.
    // `--silent` keeps the banner of npm out of stdout.
    return elsewhere ? `npm --silent --prefix ${quote(directory)} run gsq --` : 'npx gsq';
  }
  // If npm has started gsq, it has put node_modules/.bin on the PATH of this process, but not on the PATH of the user's
  // shell. Therefore the user needs `npx` to start gsq.
  if (env.npm_command !== undefined) return 'npx gsq';
  if (isOnPath(env.PATH ?? '')) return 'gsq';
  return directory === PROJECT ? 'npx gsq' : EXECUTABLE;
}

/**
 * Returns a gsq command that the user can paste into the shell from which gsq was started. `words`: the command without
 * the program name, such as `servers list`.
 */
export function gsqCommand(
  words: string,
  surroundings: Surroundings = { env: process.env, directory: process.cwd() },
): string {
  return `${programName(surroundings)} ${words}`;
}

/** Returns the command that starts the service: `gsq start`, or a systemctl command if systemd runs the service. */
export function startCommand(env: Surroundings['env'] = process.env): string {
  return env[INSTALLED] ? 'systemctl start gsq.target' : 'gsq start';
}

/** The first word of each gsq command. A test compares this list with the real commands. */
const COMMANDS =
  'start|token|servers|webhooks|games|stats|top|backup|restore|migrate|doctor|query|completion';
const PLAIN_COMMAND = new RegExp(`(?<!npx |[\\w./-])gsq (?=(?:${COMMANDS})\\b|--help|<command>)`, 'g');

/**
 * Rewrites the commands in a message so that the user can paste them: `gsq token list` becomes, for example, `npx gsq
 * token list`.
 */
export function withRunnableCommands(text: string, surroundings?: Surroundings): string {
  return text.replace(PLAIN_COMMAND, () => gsqCommand('', surroundings));
}
