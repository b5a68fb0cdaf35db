import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chooseFiles, groupFiles } from '../../../scripts/tests/test-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = (name: string): string => join(root, 'test', name);

test('groupFiles separates test files that start processes, directly or through a helper, from other files, and puts them into the first groups', () => {
  // Both test files in `starting` start processes. The first file imports node:child_process. The second file imports
  // the helper test/system/stack.ts, which starts processes.
  const starting = ['cli/run.test.ts', 'contract/rest-headers.test.ts'].map(path);
  const others = ['net/address.test.ts', 'net/ipv6.test.ts', 'runtime/config.test.ts'].map(path);
  assert.deepEqual(groupFiles(root, [...others, ...starting]), [starting, others]);
});

test('groupFiles puts at most 4 test files into a group if the files start processes, and otherwise at most 16', () => {
  for (const [folder, size] of [
    ['prober/protocols', 16],
    ['cli', 4],
  ] as const) {
    const files = chooseFiles(root, [path(folder)]);
    const [first = [], ...rest] = groupFiles(root, files);
    assert.equal(first.length, size);
    assert.deepEqual([first, ...rest].flat().sort(), files);
    assert.ok(rest.every(group => group.length <= 16));
  }
});

test('chooseFiles without names returns all test files except slow files (*.slow.test.ts) and files in test/browser, test/engines and test/peers', () => {
  const names = chooseFiles(root, []).map(file => relative(path(''), file));
  assert.ok(names.includes('scripts/tests/test-files.test.ts'));
  assert.deepEqual(
    names.filter(name => name.endsWith('.slow.test.ts') || /^(?:browser|engines|peers)\//.test(name)),
    [],
  );
});
