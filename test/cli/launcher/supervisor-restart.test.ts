import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { READY, withSupervisors } from './supervised-process.ts';

describe('the process supervisor of npm start', () => {
  const supervise = withSupervisors();

  test('restarts a process that ended unexpectedly, with the same listen addresses as before', async () => {
    const { supervisor, runs, timers, ends } = supervise(READY);
    await supervisor.start();
    const first = await runs.next();
    assert.deepEqual(first.pinned, {});
    first.child.kill('SIGKILL');
    (await timers.next()).fire();
    const second = await runs.next();
    assert.deepEqual(second.pinned, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    assert.deepEqual((await second.child.ready).addresses, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    assert.deepEqual(ends, ['probe SIGKILL 250']);
    await supervisor.stop();
  });

  test('doubles the restart delay up to 10 s, and resets the delay after a process has run for 2 s', async () => {
    const { supervisor, clock, runs, timers } = supervise(READY);
    await supervisor.start();
    const pauses: number[] = [];
    const dieAfter = async (healthyMs: number): Promise<void> => {
      const { child } = await runs.next();
      await child.ready;
      clock.now += healthyMs;
      child.kill('SIGKILL');
      const timer = await timers.next();
      pauses.push(timer.ms);
      timer.fire();
    };
    for (let i = 0; i < 7; i++) await dieAfter(1_999);
    await dieAfter(2_000);
    await dieAfter(0);
    assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 250, 500]);
    await supervisor.stop();
  });

  test('restarts a process that is killed before it is ready', async () => {
    const { supervisor, runs, timers } = supervise(`setTimeout(() => {\n${READY}}, 1);`);
    const ready = supervisor.start();
    const { child } = await runs.next();
    child.kill('SIGKILL');
    (await timers.next()).fire();
    assert.deepEqual((await ready).addresses, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    await supervisor.stop();
  });

  test('tries another restart if a restarted process exits with an error', async () => {
    const { supervisor, runs, timers, ends } = supervise(
      `if (process.env.GSQ_HTTP_ADDR) process.exit(3);\n${READY}`,
    );
    await supervisor.start();
    (await runs.next()).child.kill('SIGKILL');
    (await timers.next()).fire();
    await (await runs.next()).child.ended;
    assert.equal((await timers.next()).ms, 500);
    assert.deepEqual(ends, ['probe SIGKILL 250', 'probe 3 500']);
    await supervisor.stop();
  });

  test('cancels a scheduled restart on stop()', async () => {
    const { supervisor, runs, timers, cancelled } = supervise(READY);
    await supervisor.start();
    (await runs.next()).child.kill('SIGKILL');
    await timers.next();
    await supervisor.stop();
    assert.deepEqual(cancelled, [250]);
  });
});
