import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';

/** A clock with a timing wheel. The test advances the clock in ticks of the wheel (25 ms). */
export class ManualClock {
  now = 1000;
  readonly wheel = new TimerWheel(() => this.now);

  tick(): void {
    this.now += 25;
    this.wheel.turn();
  }

  pass(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) this.tick();
  }
}
