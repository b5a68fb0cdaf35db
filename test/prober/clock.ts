import { TimerWheel } from '../../prober/timing/timer-wheel.ts';

/** A wheel whose time runs faster than real time, so that waits of seconds take moments. */
export interface FastClock {
  wheel: TimerWheel;
  stop(): void;
}

/** Advances one tick (25 ms) every millisecond; replies on loopback are still faster. */
export function fastClock(): FastClock {
  let time = 1000;
  const wheel = new TimerWheel(() => time);
  const interval = setInterval(() => {
    time += 25;
    wheel.turn();
  }, 1);
  return { wheel, stop: () => clearInterval(interval) };
}
