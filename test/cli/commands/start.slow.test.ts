import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { allPids, gone, isRunning, type Launcher, launch } from '../launcher-process.ts';

const folder = scratchDirectory();

describe('npm start -- --demo', () => {
  let launcher: Launcher;

  before(async () => {
    launcher = launch({}, '--demo');
    await launcher.until(() => launcher.ready !== undefined);
  });

  for (const name of ['core', 'gateway', 'prober', 'notifier']) {
    test(`restarts the ${name} process at the same address if the process is killed`, async () => {
      const before = launcher.pids.get(name) ?? [];
      process.kill(before.at(-1) ?? 0, 'SIGKILL');
      await launcher.until(() => (launcher.pids.get(name)?.length ?? 0) > before.length);
      assert.match(
        launcher.stderr,
        new RegExp(`gsq: ${name} ended \\(SIGKILL\\); starting it again in \\d+ ms`),
      );
      // Repeats a request until the restarted process listens at its old address. Before that, connections to the
      // address are refused.
      const setting = {
        core: 'GSQ_CORE_OPS_ADDR',
        gateway: 'GSQ_GATEWAY_OPS_ADDR',
        prober: 'GSQ_PROBER_OPS_ADDR',
        notifier: 'GSQ_NOTIFIER_OPS_ADDR',
      };
      const url = `http://${launcher.ready?.addresses[setting[name as keyof typeof setting]]}/readyz`;
      let status = 0;
      while (status !== 200) {
        status = await fetch(url).then(
          response => response.status,
          () => 0,
        );
        if (status !== 200) await new Promise(resolve => setTimeout(resolve, 20));
      }
    });
  }
});

test('npm start prints a new token only if its data directory is new', async () => {
  const data = join(folder, 'data');
  const first = launch({ GSQ_DATA_DIR: data });
  await first.until(() => first.stdout.includes('More tokens'));
  const token = /^ {2}TOKEN=(gsq_\S+)/m.exec(first.stdout)?.[1];
  assert.ok(token, first.stdout);
  first.child.kill('SIGTERM');
  assert.equal(await first.ended(), 0, first.stderr);

  const second = launch({}, '--data-dir', data);
  await second.until(() => second.stdout.includes('More tokens'));
  assert.ok(!second.stdout.includes(token));
  assert.ok(second.stdout.includes(data));

  // Kills the launcher (the process of npm start). All processes that it started must then end by themselves.
  const pids = allPids(second);
  assert.equal(pids.length, 4, second.stderr);
  second.child.kill('SIGKILL');
  await second.ended();
  await gone(pids);
});

test('if an address is in use, npm start ends all its processes, and prints the new token only at the next start', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const env = { GSQ_DATA_DIR: join(folder, 'busy'), GSQ_HTTP_ADDR: `127.0.0.1:${port}` };
  const failed = launch(env);
  assert.equal(await failed.ended(), 3);
  assert.match(failed.stderr, new RegExp(`^gsq: GSQ_HTTP_ADDR: 127\\.0\\.0\\.1:${port} is in use; `, 'm'));
  assert.equal(failed.stdout, '');
  assert.deepEqual([...failed.pids.keys()], ['core', 'prober', 'notifier', 'gateway']);
  assert.deepEqual(allPids(failed).filter(isRunning), []);

  holder.close();
  await once(holder, 'close');
  const next = launch(env);
  await next.until(() => next.stdout.includes('More tokens'));
  assert.match(next.stdout, /^ {2}TOKEN=gsq_\S+/m);
  next.child.kill('SIGINT');
  assert.equal(await next.ended(), 0, next.stderr);
});

test('npm start immediately kills its remaining processes when the user presses Ctrl-C a second time', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'stuck') });
  await launcher.until(() => launcher.ready !== undefined);
  const core = launcher.pids.get('core')?.[0] ?? 0;
  process.kill(core, 'SIGSTOP');
  launcher.child.kill('SIGINT');
  // Sends SIGINT repeatedly until the core has ended, because the launcher ignores a SIGINT that comes soon after the
  // first. A SIGINT after the end of the core could kill the launcher before it exits by itself.
  const again = setInterval(() => isRunning(core) && launcher.child.kill('SIGINT'), 100);
  assert.equal(await launcher.ended(), 1, launcher.stderr);
  clearInterval(again);
  assert.deepEqual(allPids(launcher).filter(isRunning), []);
});
