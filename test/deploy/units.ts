import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Child } from '../system/child.ts';
import { keepSecret } from '../system/transcript.ts';
import { until } from '../system/until.ts';
import type { ScratchMachine } from './scratch-machine.ts';
import { onlyValue, readEnvironment, readUnit, type UnitSetting, valuesOf } from './unit-file.ts';

/**
 * Reads the user id and the group id of a user from /etc/passwd of a scratch machine (a root directory that looks like
 * a new machine).
 */
function idsOf(machine: ScratchMachine, user: string): [number, number] {
  const users = readFileSync(join(machine.root, 'etc/passwd'), 'utf8').split('\n');
  const [, , uid, gid] = users.find(line => line.startsWith(`${user}:`))?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${user}`);
  return [Number(uid), Number(gid)];
}

/**
 * Creates the state directory of a systemd unit as systemd does, and returns its path. Returns '' if the unit has no
 * state directory.
 */
function stateDirectory(
  machine: ScratchMachine,
  unit: readonly UnitSetting[],
  owner: [number, number],
): string {
  const [name] = valuesOf(unit, 'StateDirectory');
  if (name === undefined) return '';
  const path = join(machine.root, 'var/lib', name);
  mkdirSync(path, { recursive: true });
  chownSync(path, ...owner);
  chmodSync(path, Number.parseInt(onlyValue(unit, 'StateDirectoryMode'), 8));
  return `/var/lib/${name}`;
}

const credentialsDirectory = (name: string): string => `/run/credentials/${name}`;

/**
 * Copies the LoadCredential files of a systemd unit, as systemd does when it starts the unit. Returns the directory of
 * the copies. `byGroup`: if true, root owns the copies, and the group of the unit's user can read them. If false, the
 * unit's user owns them.
 */
function credentials(
  machine: ScratchMachine,
  name: string,
  unit: readonly UnitSetting[],
  owner: [number, number],
  byGroup: boolean,
): string {
  const path = credentialsDirectory(name);
  const directory = join(machine.root, path);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const credential of valuesOf(unit, 'LoadCredential')) {
    const [id = '', source = ''] = credential.split(':');
    const from = join(machine.root, source);
    if ((statSync(from).mode & 0o077) !== 0) throw new Error(`${source} is open to other users than root`);
    const content = readFileSync(from);
    keepSecret(content.toString('utf8').trim());
    const file = join(directory, id);
    writeFileSync(file, content, { mode: 0o400 });
    // systemd gives a credential file to the unit's user, or to root with an ACL entry that lets the unit's user read
    // the file. Instead of an ACL entry, this test gives the user's group the right to read.
    if (byGroup) {
      chownSync(file, 0, owner[1]);
      chmodSync(file, 0o440);
    } else {
      chownSync(file, ...owner);
    }
  }
  chownSync(directory, ...owner);
  chmodSync(directory, 0o500);
  return path;
}

/**
 * Returns the settings of an installed systemd unit: those of its file, then those of the files that extend all gsq
 * units.
 */
function installedUnit(machine: ScratchMachine, name: string): UnitSetting[] {
  const units = join(machine.root, 'etc/systemd/system');
  const folder = join(units, 'gsq-.service.d');
  const extensions = existsSync(folder) ? readdirSync(folder).map(file => join(folder, file)) : [];
  return [join(units, name), ...extensions].flatMap(path => readUnit(readFileSync(path, 'utf8')));
}

/** Replaces the systemd specifiers, such as `%d`, in the value of a unit setting. Fails if a specifier is not known. */
function expand(value: string, name: string): string {
  return value.replace(/%(.)/g, (whole, specifier: string) => {
    if (specifier === 'S') return '/var/lib';
    if (specifier === 'd') return credentialsDirectory(name);
    if (specifier === 'N') return name.replace(/\.service$/, '');
    throw new Error(`unknown specifier ${whole} in ${value}`);
  });
}

/** Options of `startUnit`, which starts a systemd unit without systemd. */
export interface StartOptions {
  /**
   * Selects who owns the unit's copies of its credentials. If true, root owns them, and the group of the unit's user
   * can read them. If false, the unit's user owns them.
   */
  credentialsByGroup?: boolean;
  /**
   * A wrapper program and its arguments. The wrapper gets the command of the systemd unit as further arguments, and
   * must run this command. Default: no wrapper.
   */
  runner?: readonly string[];
}

/**
 * Starts an installed unit as systemd would: as its user, with its directories, credentials, environment and command.
 * Resolves when the process is ready.
 */
export async function startUnit(
  machine: ScratchMachine,
  name: string,
  { credentialsByGroup = false, runner = [] }: StartOptions = {},
): Promise<Child> {
  const unit = installedUnit(machine, name);
  const user = onlyValue(unit, 'User');
  const owner = idsOf(machine, user);
  const settings = readFileSync(join(machine.root, onlyValue(unit, 'EnvironmentFile')), 'utf8');
  const own = readEnvironment(expand(valuesOf(unit, 'Environment').join('\n'), name));
  const env: Record<string, string> = {
    ...own,
    ...readEnvironment(settings),
    CREDENTIALS_DIRECTORY: credentials(machine, name, unit, owner, credentialsByGroup),
  };
  const words = expand(onlyValue(unit, 'ExecStart'), name).replace(
    /\$\{(\w+)\}/g,
    (_, key: string) => env[key] ?? '',
  );
  const argv = [
    'sh',
    '-c',
    `umask ${onlyValue(unit, 'UMask')}; exec "$@"`,
    'sh',
    ...runner,
    ...words.split(' '),
  ];
  const [program, args] = machine.commandLine(argv, {
    user,
    readOnly: onlyValue(unit, 'ProtectSystem') === 'strict',
    writable: stateDirectory(machine, unit, owner),
    cwd: onlyValue(unit, 'WorkingDirectory'),
    env,
  });
  const child = await Child.start(program, () => args);
  try {
    await until(
      `the process of ${name} is ready`,
      () => {
        if (!child.running) throw new Error(child.report);
        return child.output.includes('"msg":"ready"');
      },
      ready => ready,
    );
  } catch (error) {
    await child.stop('SIGKILL');
    throw error;
  }
  return child;
}
