import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Child, startChild } from '../../../cli/launcher/child-process.ts';
import { StartError, Supervisor } from '../../../cli/launcher/supervisor.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

interface Timer {
  ms: number;
  fire: () => void;
}

/** A queue whose next item can be awaited before it is added. */
class AwaitableQueue<T> {
  readonly #items: T[] = [];
  #wake: () => void = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  async next(): Promise<T> {
    for (;;) {
      const [item] = this.#items.splice(0, 1);
      if (item !== undefined) return item;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
}

const READY = `process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.send({ type: 'noise' });
process.send({ type: 'ready', addresses: { GSQ_HTTP_ADDR: process.env.GSQ_HTTP_ADDR ?? '127.0.0.1:4711' }, notes: {} });
`;

describe('the supervisor of a child process', () => {
  const folder = scratchDirectory();
  let scripts = 0;
  const children: Child[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Creates a supervisor that starts real processes. The test controls its clock and timers. */
  function supervise(source: string) {
    const path = join(folder, `${scripts++}.mjs`);
    writeFileSync(path, source);
    const clock = { now: 1_000_000 };
    const timers = new AwaitableQueue<Timer>();
    const runs = new AwaitableQueue<{ child: Child; pinned: Readonly<Record<string, string>> }>();
    const ends: string[] = [];
    const cancelled: number[] = [];
    const supervisor = new Supervisor({
      name: 'probe',
      start: pinned => {
        const child = startChild([path], { PATH: process.env.PATH, ...pinned });
        children.push(child);
        runs.push({ child, pinned });
        return child;
      },
      now: () => clock.now,
      after: (ms, fire) => {
        timers.push({ ms, fire });
        return () => cancelled.push(ms);
      },
      onRestart: (name, { status, signal }, pauseMs) => ends.push(`${name} ${signal ?? status} ${pauseMs}`),
    });
    return { supervisor, clock, timers, runs, ends, cancelled };
  }

  test('resolves start() when the process is ready, and ends the process with SIGTERM on stop()', async () => {
    const { supervisor, runs, timers, cancelled, ends } = supervise(READY);
    const { addresses } = await supervisor.start();
    assert.deepEqual(addresses, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    const { child } = await runs.next();
    await supervisor.stop();
    assert.deepEqual(await child.ended, { status: 0, signal: null });
    assert.equal((await timers.next()).ms, 15_000);
    assert.deepEqual(cancelled, [15_000]);
    assert.deepEqual(ends, []);
  });

  test('restarts a process that ended unexpectedly, with the addresses of its first run', async () => {
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

  test('doubles the pause before each restart up to 10 s, and starts again with 250 ms if the process was ready for 2 s', async () => {
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

  test('restarts a process that is killed before it is ready', async () => {
    const { supervisor, runs, timers } = supervise(`setTimeout(() => {\n${READY}}, 1);`);
    const ready = supervisor.start();
    const { child } = await runs.next();
    child.kill('SIGKILL');
    (await timers.next()).fire();
    assert.deepEqual((await ready).addresses, { GSQ_HTTP_ADDR: '127.0.0.1:4711' });
    await supervisor.stop();
  });

  test('restarts a process that exits with an error, if it was ready in an earlier run', async () => {
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

  test('cancels a pending restart on stop()', async () => {
    const { supervisor, runs, timers, cancelled } = supervise(READY);
    await supervisor.start();
    (await runs.next()).child.kill('SIGKILL');
    await timers.next();
    await supervisor.stop();
    assert.deepEqual(cancelled, [250]);
  });

  test('kills a process that does not end within 15 s after SIGTERM', async () => {
    // The process ignores SIGTERM from the moment it reports ready, because the test can stop it immediately after
    // that.
    const deaf = READY.replace('process.exit(0)', "process.send({ type: 'deaf' })");
    const { supervisor, runs, timers } = supervise(deaf);
    await supervisor.start();
    const { child } = await runs.next();
    const stopped = supervisor.stop();
    const limit = await timers.next();
    assert.equal(limit.ms, 15_000);
    limit.fire();
    await stopped;
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
