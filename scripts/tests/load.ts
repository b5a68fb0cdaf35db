/**
 * Main module of a test process. Runs the test files in its arguments, one after another. Each file is a suite of its
 * own, so the hooks of a file do not apply to other files.
 */
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FILE_SUITE } from './test-events.ts';

const [, , timeout, ...files] = process.argv;

for (const file of files) {
  await new Promise<void>(ended => {
    describe(FILE_SUITE, { timeout: Number(timeout) }, async () => {
      after(() => ended());
      await import(pathToFileURL(file).href);
    });
  });
}
