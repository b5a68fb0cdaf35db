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

/** The packages that a lockfile installs, without the project itself. */
function dependencies(lockfile: string): string {
  const { packages } = JSON.parse(lockfile);
  return JSON.stringify({ ...packages, '': undefined });
}

/** A folder with a version of the project. Its processes are started by its own npm scripts. */
export class Checkout {
  readonly folder: string;
  readonly #path: string;

  /** `path` is the PATH of the processes; the first `node` on it runs them. */
  constructor(folder: string, path: string) {
    this.folder = folder;
    this.#path = path;
  }

  /** Fills a data directory with the tracked servers of the bench, as this version stores them. */
  writeTrackedServers(dataDirectory: string, count: number): void {
    const script = `import { writeTrackedServers } from './test/bench/tracked-servers.ts';
      await writeTrackedServers(${JSON.stringify(dataDirectory)}, ${count});`;
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      cwd: this.folder,
    });
  }

  /** Starts a process of the service; resolves when it is ready. */
  async start(name: ProcessName, env: Record<string, string>): Promise<Started> {
    const { scripts } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8'));
    // Like npm, but the process replaces the shell, so that the shell's pid is the pid to measure.
    const script = String(scripts[name]).replace(/^(exec )?/, 'exec ');
    const child = await Child.start('sh', () => ['-c', script], {
      cwd: this.folder,
      env: { ...env, PATH: this.#path },
      ipc: true,
    });
    return whenReady(child);
  }
}

/** The checkout that this file belongs to. */
export function thisCheckout(path: string): Checkout {
  return new Checkout(HERE, path);
}

/**
 * Returns the checkout in a folder, or makes one of a commit: a temporary worktree with the dependencies of this checkout,
 * removed when this process ends. Throws if the commit has other dependencies.
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
