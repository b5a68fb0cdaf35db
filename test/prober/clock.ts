import { TimerWheel } from '../../prober/timing/timer-wheel.ts';

/** A timing wheel whose time runs faster than real time, so that a test with waits of several seconds ends quickly. */
export interface FastClock {
  wheel: TimerWheel;
  stop(): void;
}

/**
 * Starts a clock that runs 25 times faster than real time. A timeout of one second ends after 40 ms, which is still
 * long enough for replies on loopback.
 */
export function fastClock(): FastClock {
  let time = 1000;
  const wheel = new TimerWheel(() => time);
  const interval = setInterval(() => {
    time += 25;
    wheel.turn();
  }, 1);
  return { wheel, stop: () => clearInterval(interval) };
}
