import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { groupFiles, namedFiles, suiteFiles } from '../../../scripts/tests/test-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = (name: string): string => join(root, 'test', name);

test('groupFiles puts test files that start processes into groups without other test files; these groups come first', () => {
  // The two test files in `starting` start processes. cli/run.test.ts starts its processes itself.
  // contract/grpc-fetch-results.test.ts uses the helper test/system/stack.ts, which starts processes.
  const starting = ['cli/run.test.ts', 'contract/grpc-fetch-results.test.ts'].map(path);
  const others = ['net/address.test.ts', 'net/ipv6.test.ts', 'runtime/config.test.ts'].map(path);
  assert.deepEqual(groupFiles(root, [...others, ...starting]), [starting, others]);
});

test('groupFiles puts at most 4 test files into a group if the files start processes, and otherwise at most 16', () => {
  for (const [folder, size] of [
    ['prober/protocols', 16],
    ['cli', 4],
  ] as const) {
    const files = namedFiles([path(folder)]).filter(file => !file.endsWith('.slow.test.ts'));
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

test('namedFiles returns the test files in the order of the given file and folder names, and each file only once', () => {
  const names = ['net/ipv6.test.ts', 'net'].map(path);
  const [first, ...rest] = namedFiles(names);
  assert.equal(first, names[0]);
  assert.ok(rest.length > 0);
  assert.deepEqual(rest, [...new Set(rest)].filter(file => file !== first).sort());
});

test('suiteFiles puts the tests in test/cli, test/client, test/contract and test/deploy into one suite, and all other tests into another', () => {
  const namesOf = (suite: 'parts' | 'service') =>
    suiteFiles(root, suite).map(file => relative(path(''), file));
  const ofService = /^(?:cli|client|contract|deploy)\//;
  const [parts, service] = [namesOf('parts'), namesOf('service')];
  assert.ok(parts.includes('scripts/tests/test-files.test.ts'));
  assert.deepEqual(
    parts.filter(name => ofService.test(name)),
    [],
  );
  assert.ok(service.includes('cli/run.test.ts'));
  assert.deepEqual(
    service.filter(name => !ofService.test(name)),
    [],
  );
});

test('suiteFiles omits *.slow.test.ts and the tests in test/browser, test/engines and test/peers', () => {
  const files = [...suiteFiles(root, 'parts'), ...suiteFiles(root, 'service')];
  const others = namedFiles([path('')]).filter(file => !files.includes(file));
  const isOmitted = (name: string): boolean => /\.slow\.test\.ts$|^(?:browser|engines|peers)\//.test(name);
  assert.deepEqual(
    others.filter(file => !isOmitted(relative(path(''), file))),
    [],
  );
  assert.deepEqual(
    files.filter(file => isOmitted(relative(path(''), file))),
    [],
  );
});
