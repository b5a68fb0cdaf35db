import { execFile } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';

const checkout = resolve(import.meta.dirname, '../..');
/**
 * Shell script that runs a program on the scratch machine: chroot makes the root directory of this machine the root of
 * the program. Start the script in a mount namespace of its own, because it mounts directories. Arguments: `rw` or `ro`
 * for the root directory; a directory that is always writable, or an empty string; the program and its arguments.
 */
const RUN = `
set -eu
access=$1 state=$2
shift 2
mount --bind "$root" "$root"
for directory in $directories; do
  mkdir -p "$root$directory"
  mount --rbind "$directory" "$root$directory"
done
mount --bind "$root/local-sbin" "$root/usr/local/sbin"
mount --bind "$project" "$root/opt/gsq"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for directory in $directories /opt/gsq; do
  case $directory in /proc | /dev) ;; *) mount -o remount,bind,ro "$root$directory" ;; esac
done
if [ "$state" ]; then mount --bind "$root$state" "$root$state"; fi
mount -o "remount,bind,$access" "$root"
exec chroot "$root" "$@"
`;

/** Options for a program that runs on a scratch machine (a root directory that looks like a new machine). */
export interface ProgramOptions {
  /** The user that runs the program, by default root. A user other than root has no Linux capabilities. */
  user?: string;
  /**
   * If true, the program can write only to /tmp and `writable`. If false (the default), it can write everywhere except
   * /usr and /opt/gsq.
   */
  readOnly?: boolean;
  writable?: string;
  cwd?: string;
  env?: Record<string, string>;
}

/**
 * A root directory that looks like a new machine. It contains the programs of the real machine, and the project in
 * /opt/gsq. Its only user is root. Its programs cannot change the real machine. Requires Linux and root.
 */
export class ScratchMachine {
  readonly root = join(scratchDirectory(), 'root');
  readonly #script = join(scratchDirectory(), 'run-in-machine.sh');

  /**
   * `project`: the project directory, by default this checkout. Programs on the scratch machine (a simulated machine)
   * see it at /opt/gsq.
   */
  constructor(project: string = checkout) {
    for (const path of [
      'etc/systemd/system',
      'var/lib',
      'run/credentials',
      'opt/gsq',
      'usr',
      'tmp',
      'local-sbin',
    ]) {
      mkdirSync(join(this.root, path), { recursive: true, mode: 0o755 });
    }
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(this.root, name));
    this.write('/etc/passwd', 'root:x:0:0::/:/bin/sh\n');
    this.write('/etc/group', 'root:x:0:\n');
    this.write('/local-sbin/systemctl', '#!/bin/sh\necho "$*" >> /systemctl.log\n');
    chmodSync(join(this.root, 'local-sbin/systemctl'), 0o755);
    // Directories of the real machine that a program on the scratch machine sees at the same paths.
    const shown = ['/usr', '/proc', '/dev'];
    const nodePrefix = dirname(dirname(process.execPath));
    if (!nodePrefix.startsWith('/usr')) shown.push(nodePrefix);
    // `node_modules` of the project can be a symbolic link to a directory outside the project. Programs on the scratch
    // machine (a simulated machine) must see this directory too.
    const packages = join(project, 'node_modules');
    if (lstatSync(packages).isSymbolicLink()) shown.push(realpathSync(packages));
    const variables = `root='${this.root}' project='${project}' directories='${shown.join(' ')}'`;
    writeFileSync(this.#script, `${variables}\n${RUN}`);
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  /**
   * Returns a command line that runs `argv` on the scratch machine (a simulated machine). Each program of the line
   * starts the next one with exec, so all have the same process id.
   */
  commandLine(argv: readonly string[], options: ProgramOptions = {}): [string, string[]] {
    const { user = 'root', readOnly = false, writable = '', cwd = '/', env = {} } = options;
    const path = `/usr/local/sbin:${dirname(process.execPath)}:/usr/local/bin:/usr/sbin:/usr/bin`;
    const asUser =
      user === 'root' ? [] : ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', `--regid=${user}`];
    const variables = Object.entries({ PATH: path, ...env }).map(([name, value]) => `${name}=${value}`);
    const program = [
      ...['setpriv', ...asUser, `--reuid=${user}`, user === 'root' ? '--clear-groups' : '--init-groups'],
      ...['env', '-i', `--chdir=${cwd}`, ...variables, ...argv],
    ];
    const mounts = [readOnly ? 'ro' : 'rw', writable];
    return ['unshare', ['--mount', '--', 'sh', this.#script, ...mounts, ...program]];
  }

  /**
   * Runs a shell script on the scratch machine (a root directory that looks like a new machine). Returns the standard
   * output of the script. Rejects if the script fails.
   */
  async run(script: string, options: ProgramOptions = {}): Promise<string> {
    const [program, args] = this.commandLine(['sh', '-eu', '-c', script], options);
    return (await promisify(execFile)(program, args)).stdout;
  }
}
