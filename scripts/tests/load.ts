/**
 * A process that runs the test files of its arguments one after the other, each as a suite: the hooks of a file are those of
 * its own tests, and the next file is loaded when they have ended. test-process.ts starts it.
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
