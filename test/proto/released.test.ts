import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = resolve(import.meta.dirname, '../..');
const proto = join(root, 'proto');

/**
 * The only accepted differences from release 0.1.0: a field and its type have new names. Only core and prober use this
 * field. The new names break nothing, because the binary messages of core and prober contain no names.
 */
const RENAMED = 'Field "7" with name "signals" on message "StatusReport" changed';
const ALLOWED = [
  `${RENAMED} option "json_name" from "signs" to "signals".`,
  `${RENAMED} type from "gsq.v1.ProbeSigns" to "gsq.v1.ProbeSignals".`,
  'Field "7" on message "StatusReport" changed name from "signs" to "signals".',
];

/**
 * Compares two versions of the compiled .proto files with `buf breaking`: the newer version `image` with the older
 * version `release`. Returns the incompatible changes.
 */
function incompatibilities(image: string, release: string): string[] {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/buf'),
    ['breaking', image, '--against', release, '--error-format', 'json'],
    { cwd: proto, encoding: 'utf8', env: { ...process.env, HOME: scratchDirectory() } },
  );
  const lines = stdout.split('\n').filter(line => line !== '');
  // Exit status 100 means that the program buf found incompatibilities.
  assert.ok(status === 0 || (status === 100 && lines.length > 0), stderr);
  return lines.map(line => (JSON.parse(line) as { message: string }).message).sort();
}

test('the .proto files are compatible with release 0.1.0, except for the renamed field `signals`', () => {
  assert.deepEqual(incompatibilities('gsq.binpb', 'released/0.1.0.binpb'), [...ALLOWED].sort());
});

test('the comparison with the .proto files of release 0.1.0 reports a deleted field', () => {
  // Treats release 0.1.0 as the newer version, and the current files as the older one. Fields that were added after the
  // release then look deleted, so the comparison must report them.
  const found = incompatibilities('released/0.1.0.binpb', 'gsq.binpb');
  assert.ok(
    found.some(message => /Previously present field .* was deleted/.test(message)),
    found.join('\n'),
  );
});
