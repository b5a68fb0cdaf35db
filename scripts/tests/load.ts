/**
 * A test process, started by test-process.ts. Runs the test files in its arguments one after the other, each as a suite, so
 * that the hooks of a file apply to its own tests only. The next file is loaded after the tests of the one before.
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
