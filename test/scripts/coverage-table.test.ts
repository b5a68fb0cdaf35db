import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs', 'protocols.md'), 'utf8');
const file = join(scratchDirectory(), 'protocols.md');

function coverage(...flags: string[]) {
  const argv = [...scriptArguments('scripts/coverage-table.ts'), ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run coverage (updates docs/protocols.md)', () => {
  it('succeeds with --check if the page is up to date', () => {
    const { status, stdout, stderr } = coverage('--check');
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /up to date, \d+ games\n$/);
  });

  it('corrects a page with wrong counts, lists and rows; with --check, only reports the page as wrong', () => {
    const spoilt = page
      .replace(/^(\| `a2s` \| UDP \| .* \| )\d+/m, '$11')
      .replace(/other \d+ games/, 'other 7 games')
      .replace(/^\[gamedig\]\(\S+\) queries [^.]*\./m, '[gamedig](x) queries nobody.')
      .replace(/^\| `css` .*\n/m, '');
    assert.notEqual(spoilt, page);
    writeFileSync(file, spoilt);
    const check = coverage('--check', '--file', file);
    assert.equal(check.status, 1);
    assert.match(check.stderr, /run npm run coverage/);
    assert.equal(readFileSync(file, 'utf8'), spoilt);

    assert.equal(coverage('--file', file).status, 0);
    assert.equal(readFileSync(file, 'utf8'), page);
  });

  it('fails if docs/protocols.md lacks the comment <!-- coverage: end -->', () => {
    writeFileSync(file, page.replace('<!-- coverage: end -->', ''));
    const { status, stderr } = coverage('--file', file);
    assert.equal(status, 1);
    assert.match(stderr, /nothing matches/);
  });
});
