import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { gsqCommand, startCommand } from '../../../cli/console/invocation.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

const root = resolve(import.meta.dirname, '../../..');
const executable = `${root}/cli/gsq.mjs`;

test('gsq prints each suggested command in a form that works in the shell of the user', () => {
  const bin = scratchDirectory();
  symlinkSync(executable, `${bin}/gsq`);
  const npm = { PATH: `${bin}:/usr/bin` };
  for (const [env, directory, name] of [
    [{ npm_command: 'exec', ...npm }, '/srv', 'npx gsq'],
    [{ npm_command: 'run-script', INIT_CWD: root, ...npm }, root, 'npx gsq'],
    [{ npm_command: 'start', INIT_CWD: '/srv', ...npm }, root, `npm --silent --prefix ${root} run gsq --`],
    [{ npm_command: 'start', INIT_CWD: '/srv' }, '/a b', "npm --silent --prefix '/a b' run gsq --"],
    [{ INSTALLED_GSQ: 'gsq', PATH: '/usr/bin' }, '/srv', 'gsq'],
    [{ PATH: `/nowhere:${bin}` }, '/srv', 'gsq'],
    [{ PATH: '/usr/bin' }, root, 'npx gsq'],
    [{ PATH: '/usr/bin' }, '/srv', executable],
    [{}, '/srv', executable],
  ] as const) {
    assert.equal(gsqCommand('token list', { env, directory }), `${name} token list`);
  }
});

test('startCommand() returns `systemctl start gsq.target` if deploy/systemd installed the gsq command, and otherwise `gsq start`', () => {
  assert.equal(startCommand({}), 'gsq start');
  assert.equal(startCommand({ INSTALLED_GSQ: 'gsq' }), 'systemctl start gsq.target');
});
