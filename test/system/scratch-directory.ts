import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** Makes an empty directory that is removed when the process ends, after everything that may write to it. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gsq-test-'));
  made.push(directory);
  return directory;
}
