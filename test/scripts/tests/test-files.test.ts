import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chooseFiles, groupFiles } from '../../../scripts/tests/test-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = (name: string): string => join(root, 'test', name);

test('groupFiles puts test files that start processes into separate groups, before all other groups', () => {
  // The two test files in `starting` start processes. cli/run.test.ts starts them itself.
  // contract/grpc-fetch-results.test.ts uses the helper test/system/stack.ts, which starts them.
  const starting = ['cli/run.test.ts', 'contract/grpc-fetch-results.test.ts'].map(path);
  const others = ['net/address.test.ts', 'net/ipv6.test.ts', 'runtime/config.test.ts'].map(path);
  assert.deepEqual(groupFiles(root, [...others, ...starting]), [starting, others]);
});

test('groupFiles puts at most 4 test files into a group if the files start processes, and otherwise at most 16', () => {
  for (const [folder, size] of [
    ['prober/protocols', 16],
    ['cli', 4],
  ] as const) {
    const files = chooseFiles(root, [path(folder)]).filter(file => !file.endsWith('.slow.test.ts'));
    const [first = [], ...rest] = groupFiles(root, files);
    assert.equal(first.length, size);
    assert.deepEqual([first, ...rest].flat().sort(), files);
    assert.ok(rest.every(group => group.length <= 16));
  }
});

test('groupFiles puts each slow test file into its own group; the groups of slow files come first, in the given order', () => {
  const [kills, edges] = ['system/kills.slow.test.ts', 'fuzz/edges.slow.test.ts'].map(path);
  assert.ok(kills && edges);
  const quick = path('net/ipv6.test.ts');
  assert.deepEqual(groupFiles(root, [quick, kills, edges]), [[kills], [edges], [quick]]);
});

test('chooseFiles returns the test files in the order of the given file and folder names, and each file only once', () => {
  const names = ['net/ipv6.test.ts', 'net'].map(path);
  const [first, ...rest] = chooseFiles(root, names);
  assert.equal(first, names[0]);
  assert.ok(rest.length > 0);
  assert.deepEqual(rest, [...new Set(rest)].filter(file => file !== first).sort());
});

test('chooseFiles without file names omits *.slow.test.ts and the tests in test/browser, test/engines and test/peers', () => {
  const names = chooseFiles(root, []).map(file => relative(path(''), file));
  assert.ok(names.includes('scripts/tests/test-files.test.ts'));
  assert.deepEqual(
    names.filter(name => name.endsWith('.slow.test.ts') || /^(?:browser|engines|peers)\//.test(name)),
    [],
  );
});
