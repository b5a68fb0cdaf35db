import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const catalog = readFileSync(join(root, 'catalog.json'), 'utf8');
const directory = scratchDirectory();

function build(...flags: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...scriptArguments('scripts/build-catalog.ts'), ...flags],
    { cwd: root, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('npm run catalog', () => {
  it('succeeds with --check if catalog.json matches the games of gamedig and the overrides', () => {
    assert.deepEqual(build('--check'), {
      status: 0,
      stdout: `${join(root, 'catalog.json')}: up to date, 424 games\n`,
      stderr: '',
    });
  });

  it('prints added, removed and changed games; with --check, exits with 1 and does not change catalog.json', () => {
    const file = join(directory, 'catalog.json');
    const lines = catalog.split('\n');
    const added = lines[1];
    const changed = lines[2];
    assert.ok(added !== undefined && changed !== undefined);
    lines.splice(1, 2, changed.replace('"id":"aaa"', '"id":"aaa0"'));
    const other = lines.join('\n');
    assert.notEqual(other, catalog);
    writeFileSync(file, other);

    const report = [
      `+ ${added.slice(0, -1)}`,
      `+ ${changed.slice(0, -1)}`,
      `- ${changed.slice(0, -1).replace('"id":"aaa"', '"id":"aaa0"')}`,
      '',
    ].join('\n');
    const check = build('--check', '--file', file);
    assert.equal(check.status, 1);
    assert.equal(check.stdout, report);
    assert.equal(
      check.stderr,
      `${file}: not what the script would write; run npm run catalog and review the difference\n`,
    );
    assert.equal(readFileSync(file, 'utf8'), other);

    const write = build('--file', file);
    assert.deepEqual([write.status, write.stdout], [0, `${report}${file}: written, 424 games\n`]);
    assert.equal(readFileSync(file, 'utf8'), catalog);
  });

  it('fails if the overrides add a game whose source is not an https URL', () => {
    const overrides = JSON.parse(readFileSync(join(root, 'scripts', 'catalog-overrides.json'), 'utf8'));
    for (const source of [undefined, '', 'heard of it', 'https://', 'http://example.org/page']) {
      const path = join(directory, 'overrides.json');
      const added = { ...overrides.added, bzflag: { ...overrides.added.bzflag, source } };
      writeFileSync(path, JSON.stringify({ ...overrides, added }));
      const { status, stderr } = build('--check', '--overrides', path);
      assert.equal(status, 1);
      assert.match(stderr, /added\.bzflag\.source: name the page/);
    }
  });
});
