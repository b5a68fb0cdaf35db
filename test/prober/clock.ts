import { TimerWheel } from '../../prober/timing/timer-wheel.ts';

/** A timing wheel whose time runs faster than real time, so that a test with waits of several seconds ends quickly. */
export interface FastClock {
  wheel: TimerWheel;
  stop(): void;
}

/**
 * Starts a clock that runs `speed` times as fast as real time. At 25, a timeout of one second ends after 40 ms, which
 * is long enough for replies on loopback.
 */
export function fastClock(speed = 25): FastClock {
  let time = 1000;
  const wheel = new TimerWheel(() => time);
  const interval = setInterval(() => {
    time += speed;
    wheel.turn();
  }, 1);
  return { wheel, stop: () => clearInterval(interval) };
}
