import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const log = pathToFileURL(`${import.meta.dirname}/../../runtime/log.ts`).href;
const SCRIPT = `
const { createLogger } = await import(${JSON.stringify(log)});
for (const format of ['json', 'text']) {
  const logger = createLogger('core', 'info', format);
  for (let i = 0; i < 20_000; i++) logger.info({ i }, 'a line that is long enough to fill more than the buffer');
  logger.fatal('the last line');
}
console.log('still running');`;

test('a process continues to run if its log file is on a full disk', {
  skip: !existsSync('/dev/full'),
}, async () => {
  // Every write to the device /dev/full fails with ENOSPC.
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', SCRIPT], {
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  assert.ok(child.stdout);
  const [written, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.deepEqual([written.trim(), status], ['still running', 0]);
});
