import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../../system/child.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import type { ProcessName } from '../../system/stack.ts';
import { type Started, whenReady } from '../service.ts';

const HERE = fileURLToPath(new URL('../../..', import.meta.url));

const git = (...args: string[]): string => execFileSync('git', ['-C', HERE, ...args], { encoding: 'utf8' });

/** A folder with a version of the project, whose processes are started by its own npm scripts. */
export class Checkout {
  readonly folder: string;
  readonly #path: string;

  /** `path`: PATH of the processes, whose first `node` runs them. */
  constructor(folder: string, path: string) {
    this.folder = folder;
    this.#path = path;
  }

  /** Resolves when the process is ready. */
  async start(name: ProcessName, env: Record<string, string>): Promise<Started> {
    const { scripts } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8'));
    // As npm would run the script, but in place of the shell: the pid is that of the process.
    const script = String(scripts[name]).replace(/^(exec )?/, 'exec ');
    const child = await Child.start('sh', () => ['-c', script], {
      cwd: this.folder,
      env: { ...env, PATH: this.#path },
      ipc: true,
    });
    return whenReady(child);
  }
}

export function thisCheckout(path: string): Checkout {
  return new Checkout(HERE, path);
}

/**
 * The checkout in a folder, or that of a commit: a temporary worktree with the dependencies of this checkout, removed when
 * the process ends.
 */
export function otherCheckout(folderOrCommit: string, path: string): Checkout {
  const folder = resolve(folderOrCommit);
  if (existsSync(join(folder, 'package.json'))) return new Checkout(folder, path);
  if (git('diff', '--name-only', folderOrCommit, '--', 'package-lock.json') !== '') {
    throw new Error(
      `package-lock.json of ${folderOrCommit} differs: make a worktree of it, run npm ci there and give its folder`,
    );
  }
  const worktree = join(scratchDirectory(), 'checkout');
  git('worktree', 'add', '--detach', '--quiet', worktree, folderOrCommit);
  process.once('exit', () => git('worktree', 'remove', '--force', worktree));
  symlinkSync(join(HERE, 'node_modules'), join(worktree, 'node_modules'));
  return new Checkout(worktree, path);
}
