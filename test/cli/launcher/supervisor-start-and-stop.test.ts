import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StartError } from '../../../cli/launcher/supervisor.ts';
import { READY, withSupervisors } from './supervised-process.ts';

describe('the process supervisor of npm start', () => {
  const supervise = withSupervisors();

  test('resolves start() when the process is ready, and sends SIGTERM to the process on stop()', async () => {
    const { supervisor, runs, timers, cancelled, ends } = supervise(READY);
    const { addresses } = await supervisor.start();
    assert.deepEqual(addresses, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    const { child } = await runs.next();
    assert.equal(await supervisor.stop(), true);
    assert.deepEqual(await child.ended, { status: 0, signal: null });
    assert.equal((await timers.next()).ms, 15_000);
    assert.deepEqual(cancelled, [15_000]);
    assert.deepEqual(ends, []);
  });

  test('rejects start() with a StartError if the process exits before it is ready', async () => {
    for (const [status, expected] of [
      [3, 3],
      [1, 1],
      [0, 1],
    ]) {
      const { supervisor, ends } = supervise(`process.exit(${status});`);
      await assert.rejects(
        supervisor.start(),
        error => error instanceof StartError && error.status === expected,
      );
      assert.deepEqual(ends, []);
      await supervisor.stop();
    }
  });

  test('reports a clean stop if a process ends on SIGTERM before it is ready', async () => {
    const { supervisor, runs } = supervise('setInterval(() => {}, 1000);');
    supervisor.start();
    const { child } = await runs.next();
    assert.equal(await supervisor.stop(), true);
    assert.deepEqual(await child.ended, { status: null, signal: 'SIGTERM' });
  });

  test('kills a process that has not ended 15 s after SIGTERM', async () => {
    // Source code of a process that ignores SIGTERM. It reports `ready` after it has installed its SIGTERM handler.
    const deaf = READY.replace('process.exit(0)', "process.send({ type: 'deaf' })");
    const { supervisor, runs, timers } = supervise(deaf);
    await supervisor.start();
    const { child } = await runs.next();
    const stopped = supervisor.stop();
    const limit = await timers.next();
    assert.equal(limit.ms, 15_000);
    limit.fire();
    assert.equal(await stopped, false);
    assert.deepEqual(await child.ended, { status: null, signal: 'SIGKILL' });
  });

  test('ends the process immediately on kill(), and does not restart it', async () => {
    const { supervisor, runs, ends } = supervise(READY);
    await supervisor.start();
    const { child } = await runs.next();
    supervisor.kill();
    assert.deepEqual(await child.ended, { status: null, signal: 'SIGKILL' });
    await supervisor.stop();
    assert.deepEqual(ends, []);
  });
});
