import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { commandsBelow, systemdHeadings } from '../deploy/operations-page.ts';
import { ScratchMachine } from '../deploy/scratch-machine.ts';
import { onlyValue, readUnit, valuesOf } from '../deploy/unit-file.ts';
import { startUnit } from '../deploy/units.ts';
import type { Child } from '../system/child.ts';
import { enterOwnNetwork } from '../system/network-namespace.ts';
import { processNames } from '../system/stack-settings.ts';

/**
 * Highest allowed exposure level of a unit in `systemd-analyze security`, in tenths: 20 means 2.0. A unit without any
 * protection has 9.6.
 */
const HIGHEST_EXPOSURE = 20;
const UNITS = '/etc/systemd/system/gsq-*.service';

/**
 * Returns the names of all system calls in `set`, a group that systemd defines, such as `@system-service`. Includes the
 * system calls of nested groups.
 */
function systemCalls(set: string): string[] {
  const lines = execFileSync('systemd-analyze', ['--no-pager', 'syscall-filter', set], {
    encoding: 'utf8',
  }).split('\n');
  const names = lines.slice(1).map(line => line.trim());
  return names
    .filter(name => name !== '' && !name.startsWith('#'))
    .flatMap(name => (name.startsWith('@') ? systemCalls(name) : name));
}

let machine: ScratchMachine;
const started: Child[] = [];
before(async () => {
  await enterOwnNetwork();
  machine = new ScratchMachine();
  await machine.run(commandsBelow(systemdHeadings.install));
});
after(async () => {
  await Promise.all(started.map(child => child.stop('SIGKILL')));
});

test('systemd finds no fault in the units if they are installed as docs/operations.md says', async () => {
  const verified = await machine.run(
    `systemd-analyze verify --man=no ${UNITS} /etc/systemd/system/gsq.target 2>&1`,
  );
  assert.equal(verified, '');
});

test('systemd-analyze verify reports an unknown setting and a missing program in a changed unit file', async () => {
  const spoilt = `sed 's/^Restart=/Restarted=/; s/run.sh/walk.sh/' /etc/systemd/system/gsq-core.service > /tmp/spoilt.service`;
  const verified = await machine.run(
    `${spoilt}; systemd-analyze verify --man=no /tmp/spoilt.service 2>&1 || true`,
  );
  assert.match(verified, /Restarted/);
  assert.match(verified, /walk\.sh is not executable/);
});

test('systemd-analyze security rates the protection of each unit as good', async () => {
  const threshold = `--threshold=${HIGHEST_EXPOSURE}`;
  await machine.run(
    `for unit in ${UNITS}; do systemd-analyze security --offline=yes ${threshold} "$unit"; done`,
  );
});

test('each process of gsq becomes ready and exits with status 0 under the system call filter of its systemd unit', async () => {
  for (const name of processNames) {
    const unit = readUnit(readFileSync(`${machine.root}/etc/systemd/system/gsq-${name}.service`, 'utf8'));
    const names = systemCalls(onlyValue(unit, 'SystemCallFilter'));
    const [error = 'kill'] = valuesOf(unit, 'SystemCallErrorNumber');
    const runner = ['python3', '/opt/gsq/test/peers/filter-system-calls.py', error, names.join()];
    started.unshift(await startUnit(machine, `gsq-${name}.service`, { runner }));
  }
  for (const child of started) assert.equal(await child.stop(), 0, child.report);
});
