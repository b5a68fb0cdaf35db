import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from '../system/child.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

test('gsq start --demo --print-config prints the settings of a demo, but creates no temporary directory', async () => {
  const args = [...scriptArguments('cli/gsq.ts'), 'start', '--demo', '--print-config'];
  const env = {
    TMPDIR: scratchDirectory(),
    GSQ_ALLOW_TARGETS: '10.0.0.0/8',
    GSQ_STORE: 'redis://127.0.0.1:1',
  };
  const child = await Child.start(process.execPath, () => args, { env });
  assert.equal(await child.ended, 0, child.output);
  const { output, home } = child;
  assert.match(output, /^GSQ_ALLOW_TARGETS=10\.0\.0\.0\/8,127\.0\.0\.0\/8 {2}# --demo$/m);
  assert.match(output, /^GSQ_PROBE_INTERVAL=5s {2}# --demo$/m);
  assert.match(output, /^GSQ_STORE=leveldb {2}# --demo$/m);
  assert.match(output, /^GSQ_PAGE=on {2}# --demo$/m);
  const directory = /^GSQ_DATA_DIR=(\S+) {2}# --demo$/m.exec(output)?.[1] ?? '';
  assert.match(directory, /gsq-demo-XXXXXX$/);
  assert.deepEqual(
    readdirSync(join(directory, '..')).filter(name => name.startsWith('gsq-demo')),
    [],
  );
  assert.deepEqual(readdirSync(home), []);
});
