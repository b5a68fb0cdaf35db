import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratchDirectory } from '../system/scratch-directory.ts';

const run = promisify(execFile);

/**
 * Compiles a C program of this folder. Resolves to the path of the executable file, or to undefined if the machine has
 * no C compiler or does not run Linux.
 */
export async function compileC(name: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const program = join(scratchDirectory(), name);
  try {
    await run('cc', ['-O2', '-o', program, fileURLToPath(new URL(`./${name}.c`, import.meta.url))]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return program;
}
