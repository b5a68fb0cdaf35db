/**
 * Main module of a test process, which test-process.ts starts. It runs the test files in its arguments one after
 * another. Each file runs as a suite, so that the hooks of a file apply only to the tests of that file. A file is
 * loaded after all tests of the previous file have ended.
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
