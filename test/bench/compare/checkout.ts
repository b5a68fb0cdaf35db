import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../../system/child.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import type { ProcessName } from '../../system/stack-settings.ts';
import { type Started, whenReady } from '../service.ts';

const HERE = fileURLToPath(new URL('../../..', import.meta.url));

const LOCK = readFileSync(join(HERE, 'package-lock.json'), 'utf8');

const git = (...args: string[]): string => execFileSync('git', ['-C', HERE, ...args], { encoding: 'utf8' });

/**
 * Returns the packages that a lockfile installs, as JSON text. Two checkouts with the same text can share installed
 * packages.
 */
function dependencies(lockfile: string): string {
  const { packages } = JSON.parse(lockfile);
  return JSON.stringify({ ...packages, '': undefined });
}

/** A folder with one version of the project. The npm scripts of that version start its processes. */
export class Checkout {
  readonly folder: string;
  readonly #path: string;

  /** `path` is the environment variable PATH for the started processes. It determines which `node` runs them. */
  constructor(folder: string, path: string) {
    this.folder = folder;
    this.#path = path;
  }

  /**
   * Writes the tracked servers of the bench to a data directory. Uses the code of this checkout, because storage
   * formats differ between versions.
   */
  writeTrackedServers(dataDirectory: string, count: number): void {
    const script = `import { writeTrackedServers } from './test/bench/tracked-servers.ts';
      await writeTrackedServers(${JSON.stringify(dataDirectory)}, ${count});`;
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      cwd: this.folder,
    });
  }

  /** Starts a process of the service. Resolves when the process is ready. */
  async start(name: ProcessName, env: Record<string, string>): Promise<Started> {
    const { scripts } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8'));
    // Removes settings that the checked-out commit does not know, because a process refuses to start with unknown
    // settings.
    const known = readFileSync(join(this.folder, 'docs', 'configuration.md'), 'utf8');
    const settings = Object.entries(env).filter(
      ([name]) => !name.startsWith('GSQ_') || known.includes(`\`${name}\``),
    );
    // Runs the npm script in a shell, as npm does. `exec` replaces the shell with the process, so that the pid of the
    // shell becomes the pid of the process to measure.
    const script = String(scripts[name]).replace(/^(exec )?/, 'exec ');
    const child = await Child.start('sh', () => ['-c', script], {
      cwd: this.folder,
      env: { ...Object.fromEntries(settings), PATH: this.#path },
      ipc: true,
    });
    return whenReady(child);
  }
}

/** Returns the checkout that contains this script. */
export function thisCheckout(path: string): Checkout {
  return new Checkout(HERE, path);
}

/**
 * Returns a checkout of gsq. `folderOrCommit`: the folder of the checkout, or a commit. For a commit, creates a git
 * worktree, which is removed when this process ends. Throws if the lockfile of the commit lists other dependencies than
 * the lockfile of this checkout.
 */
export function otherCheckout(folderOrCommit: string, path: string): Checkout {
  const folder = resolve(folderOrCommit);
  if (existsSync(join(folder, 'package.json'))) return new Checkout(folder, path);
  if (dependencies(git('show', `${folderOrCommit}:package-lock.json`)) !== dependencies(LOCK)) {
    throw new Error(
      `the dependencies of ${folderOrCommit} differ: make a worktree of it, run npm ci there and give its folder`,
    );
  }
  const worktree = join(scratchDirectory(), 'checkout');
  git('worktree', 'add', '--detach', '--quiet', worktree, folderOrCommit);
  process.once('exit', () => git('worktree', 'remove', '--force', worktree));
  symlinkSync(join(HERE, 'node_modules'), join(worktree, 'node_modules'));
  return new Checkout(worktree, path);
}
