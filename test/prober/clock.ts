import { TimerWheel } from '../../prober/timing/timer-wheel.ts';

/** A wheel whose time runs ahead of the world's, so that what takes seconds is over in moments. */
export interface FastClock {
  wheel: TimerWheel;
  stop(): void;
}

/** Passes one tick (25 ms) every millisecond; replies on loopback still outrun it. */
export function fastClock(): FastClock {
  let time = 1000;
  const wheel = new TimerWheel(() => time);
  const interval = setInterval(() => {
    time += 25;
    wheel.turn();
  }, 1);
  return { wheel, stop: () => clearInterval(interval) };
}
