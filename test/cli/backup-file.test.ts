import assert from 'node:assert/strict';
import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { backedUp } from '../core/backup/backed-up-store.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { closedPort } from './closed-port.ts';
import { gsq } from './gsq-command.ts';

test('gsq backup does not change an existing file <name>.part, and writes the backup with file mode 0600', async () => {
  const { directory, booted } = await backedUp();
  await booted.close();
  const folder = scratchDirectory();
  const file = join(folder, 'saved.ndjson');
  writeFileSync(`${file}.part`, 'of somebody else', { mode: 0o644 });
  const failed = await gsq({ GSQ_INTERNAL_ADDR: `127.0.0.1:${await closedPort()}` }, 'backup', file);
  assert.equal(failed.status, 5, failed.talk);
  const { status, talk } = await gsq({}, 'backup', file, '--offline', '--data-dir', directory);
  assert.equal(status, 0, talk);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(`${file}.part`, 'utf8'), 'of somebody else');
  assert.deepEqual(readdirSync(folder).sort(), ['saved.ndjson', 'saved.ndjson.part']);
});

test('if the disk is full, gsq backup fails with an error message of one line, and leaves no file', async t => {
  const { directory, booted } = await backedUp();
  await booted.close();
  const folder = scratchDirectory();
  t.mock.method(fs, 'writeSync', () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const file = join(folder, 'saved.ndjson');
  const { status, talk } = await gsq({}, 'backup', file, '--offline', '--data-dir', directory);
  assert.equal(status, 1);
  assert.match(talk, /^gsq: .*saved\.ndjson cannot be written: ENOSPC.*\n$/);
  assert.ok(!existsSync(file));
  assert.deepEqual(readdirSync(folder), []);
});
