import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/**
 * Creates an empty temporary directory. It is removed only when the test process exits, because until then a test can
 * write to it.
 */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gsq-test-'));
  made.push(directory);
  return directory;
}
