import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { processNames } from '../system/stack-settings.ts';

const RUN = fileURLToPath(new URL('../../cli/run.sh', import.meta.url));
/** A preloaded module. It makes Node print its process id and its arguments, and then exit. */
const TELL =
  'data:text/javascript,console.log(JSON.stringify([process.pid,process.execArgv,process.argv.slice(1)]));process.exit()';

/** Runs cli/run.sh in an empty directory. Returns its exit status and its output. */
async function run(...args: string[]) {
  const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import=${TELL}` };
  const child = spawn(RUN, args, { cwd: scratchDirectory(), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { pid: child.pid, status: child.exitCode, out, err };
}

for (const name of processNames) {
  test(`cli/run.sh ${name} replaces its shell process with Node, and gives Node the same arguments as npm start`, async () => {
    const { pid, out, err } = await run(name, '--log-level', 'a  b');
    assert.equal(err, '');
    const [nodePid, options, args] = JSON.parse(out) as [number, string[], string[]];
    assert.equal(nodePid, pid);
    // npm start passes the `--import` module to Node as a URL, but cli/run.sh passes the module as a path. The test
    // removes `file://` from the URL to compare the two.
    const given = [...options, ...args].map(arg => arg.replace(/^file:\/\//, ''));
    const expected = [...serviceArguments(name), '--log-level', 'a  b'];
    assert.deepEqual(
      given,
      expected.map(arg => arg.replace(/^file:\/\//, '')),
    );
    assert.ok(options.length > 2, 'options of its own');
  });
}

test('cli/run.sh exits with 2 if its argument is not the name of a gsq process', async () => {
  const { status, out, err } = await run('cli');
  assert.deepEqual([status, out], [2, '']);
  assert.match(err, /^Usage: cli\/run\.sh core\|gateway\|prober\|notifier /);
});
