import { after } from 'node:test';
import { GamedigPool } from '../../../prober/gamedig/gamedig-pool.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';

/** Endpoint on loopback at which no process listens, because the system never assigns its port. */
export const HERE = { address: '127.0.0.1', port: 9 };

/**
 * Returns functions that open gamedig pools and start timing wheels. After the tests of the file, closes them and
 * calls the functions in `cleanups`.
 */
export function openedGamedigPools() {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  /** Opens a pool with one worker thread. `script` replaces the script of the worker. */
  function pool(wheel: TimerWheel, script?: URL) {
    const warnings: string[] = [];
    const options = { wheel, workers: 1, warn: (text: string) => warnings.push(text) };
    const gamedig = new GamedigPool(script ? { ...options, script } : options);
    cleanups.push(() => gamedig.close());
    return { gamedig, warnings };
  }

  /** Starts a timing wheel that uses real time. */
  function realTime(): TimerWheel {
    const wheel = new TimerWheel();
    wheel.start();
    cleanups.push(() => wheel.stop());
    return wheel;
  }

  return { cleanups, pool, realTime };
}
