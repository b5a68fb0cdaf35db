import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { operationsBlocks } from '../deploy/operations-page.ts';
import { ScratchMachine } from '../deploy/scratch-machine.ts';

/**
 * Highest exposure that `systemd-analyze security` may compute for a unit, in tenths. systemd calls 0 to 2.0 "OK" or
 * better. A unit without any protection has 96.
 */
const HIGHEST_EXPOSURE = 20;
const UNITS = '/etc/systemd/system/gsq-*.service';

let machine: ScratchMachine;
before(async () => {
  execFileSync('systemd-analyze', ['--version']);
  machine = new ScratchMachine();
  const [install = ''] = operationsBlocks('Run under systemd');
  await machine.run(install);
});

test('systemd finds no fault in the units, installed as docs/operations.md says', async () => {
  const verified = await machine.run(
    `systemd-analyze verify --man=no ${UNITS} /etc/systemd/system/gsq.target 2>&1`,
  );
  assert.equal(verified, '');
});

test('systemd-analyze verify reports an unknown setting and a missing program on the scratch machine', async () => {
  const spoilt = `sed 's/^Restart=/Restarted=/; s/run.sh/walk.sh/' /etc/systemd/system/gsq-core.service > /tmp/spoilt.service`;
  const verified = await machine.run(
    `${spoilt}; systemd-analyze verify --man=no /tmp/spoilt.service 2>&1 || true`,
  );
  assert.match(verified, /Restarted/);
  assert.match(verified, /walk\.sh is not executable/);
});

test('systemd calls the sandbox of each unit good', async () => {
  const threshold = `--threshold=${HIGHEST_EXPOSURE}`;
  await machine.run(
    `for unit in ${UNITS}; do systemd-analyze security --offline=yes ${threshold} "$unit"; done`,
  );
});
