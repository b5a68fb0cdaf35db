import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Child, startChild } from '../../../cli/launcher/child-process.ts';
import { Supervisor } from '../../../cli/launcher/supervisor.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

interface Timer {
  ms: number;
  fire: () => void;
}

/** A queue whose `next` waits until there is an item. */
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

/** Source code of a process that immediately reports that it is ready. On SIGTERM it ends with status 0. */
export const READY = `process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.send({ type: 'noise' });
process.send({ type: 'ready', addresses: { GSQ_HTTP_ADDR: process.env.GSQ_HTTP_ADDR ?? '127.0.0.1:4711' }, notes: {} });
`;

/**
 * Returns a function that creates a `Supervisor` with simulated time. The supervised process runs the code `source`.
 * All processes are killed after the tests of the `describe` group.
 */
export function withSupervisors() {
  const folder = scratchDirectory();
  let scripts = 0;
  const children: Child[] = [];
  after(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  return function supervise(source: string) {
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
  };
}
