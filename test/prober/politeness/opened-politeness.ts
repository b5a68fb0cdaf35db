import assert from 'node:assert/strict';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '../../../prober/politeness/rate-limits.ts';
import type { HeldBack } from '../../../prober/politeness/reservations.ts';
import { ManualClock } from './manual-clock.ts';

const RATE_LIMITS: RateLimits = { ...DEFAULT_RATE_LIMITS, packetsInAll: 50_000 };

/**
 * Opens a rate limiter that tracks at most `mostAddresses` addresses, and a clock that the test advances. The returned
 * function `enter` asks the rate limiter to admit a probe.
 */
export function open(limits: Partial<RateLimits> = {}, mostAddresses?: number) {
  const clock = new ManualClock();
  const politeness = new Politeness({ ...RATE_LIMITS, ...limits }, clock.wheel, mostAddresses);
  return {
    clock,
    politeness,
    enter: (address: string, port = 1) => politeness.admit({ address, ports: [port] }),
  };
}

/** Result of a request to admit a probe. If the probe must wait, the result is a promise. */
type Entry = AdmittedProbe | HeldBack | Promise<AdmittedProbe | HeldBack>;

/**
 * Returns the admitted probe, if `entry` is the result for a probe that was admitted immediately. Throws if the probe
 * must wait or was postponed.
 */
export function admittedOf(entry: Entry): AdmittedProbe {
  assert.ok(entry instanceof AdmittedProbe, 'held back, or waits');
  return entry;
}

/** Returns the delay until a postponed probe can be tried again, ms. Throws if the probe was not postponed. */
export function retryOf(entry: Entry): number {
  assert.ok('retryAfterMs' in entry, 'not held back');
  return entry.retryAfterMs;
}

/**
 * For each probe in `running`, requests permission to send one packet. Then advances the clock by `ms`. Returns how
 * long the granted requests had to wait, in ms.
 */
export function departures(clock: ManualClock, running: AdmittedProbe[], ms: number): number[] {
  const start = clock.now;
  const gone: number[] = [];
  for (const admitted of running) admitted.waitForPacket().then(room => room && gone.push(clock.now - start));
  clock.pass(ms);
  return gone;
}

/** Waits until the callbacks of all settled promises have run. */
export const settled = () => new Promise(resolve => setImmediate(resolve));
