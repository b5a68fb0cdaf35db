import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chooseFiles, groupFiles } from '../../../scripts/tests/test-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = (name: string): string => join(root, 'test', name);

test('a file that starts processes, itself or by a helper, has a process of its own', () => {
  // By node:child_process, by test/system/stack.ts, and the others not at all.
  const alone = ['cli/run.test.ts', 'contract/rest-wire.test.ts'].map(path);
  const together = ['net/address.test.ts', 'net/ipv6.test.ts', 'runtime/config.test.ts'].map(path);
  assert.deepEqual(groupFiles(root, [...alone, ...together]), [together, ...alone.map(file => [file])]);
});

test('files share a process sixteen at a time', () => {
  const files = chooseFiles(root, [path('prober/protocols')]);
  assert.ok(files.length > 16, 'there are enough of them');
  const groups = groupFiles(root, files);
  assert.deepEqual(groups.flat(), files);
  assert.ok(groups.every(group => group.length <= 16));
  assert.ok(groups.slice(0, -1).every(group => group.length === 16));
});

test('without names all are chosen but slow ones and those that need more than Node', () => {
  const names = chooseFiles(root, []).map(file => relative(path(''), file));
  assert.ok(names.includes('scripts/tests/test-files.test.ts'));
  assert.deepEqual(
    names.filter(name => name.endsWith('.slow.test.ts') || /^(?:peers|bench)\//.test(name)),
    [],
  );
});
