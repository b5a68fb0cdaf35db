import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildPage } from '../../../scripts/page-build.ts';

const folder = join(import.meta.dirname, '../../../gateway/page/built');
/** Maximum compressed size of all scripts and styles together, in bytes. */
const BUDGET = 60 * 1024;

test('the committed scripts and styles of the pages equal the output of npm run page', async () => {
  const fresh = await buildPage();
  assert.deepEqual(readdirSync(folder).sort(), [...fresh.keys()].sort());
  for (const [name, contents] of fresh)
    assert.ok(readFileSync(join(folder, name)).equals(contents), `${name} is old; run npm run page`);
});

test('all scripts and styles of the pages together take at most 60 KiB compressed', () => {
  const sizes = readdirSync(folder).map(name => gzipSync(readFileSync(join(folder, name))).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total > 0 && total <= BUDGET, `${total} bytes`);
});
