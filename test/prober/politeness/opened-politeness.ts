import assert from 'node:assert/strict';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '../../../prober/politeness/rate-limits.ts';
import type { HeldBack } from '../../../prober/politeness/reservations.ts';
import { ManualClock } from './manual-clock.ts';

const RATE_LIMITS: RateLimits = { ...DEFAULT_RATE_LIMITS, packetsInAll: 50_000 };

/**
 * Opens a rate limiter with a manual clock, which tracks at most `mostAddresses` addresses. The returned `enter` asks
 * the rate limiter to admit a probe.
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

/** Returns the probe that was admitted immediately. Throws if the probe waits or was postponed. */
export function admittedOf(entry: Entry): AdmittedProbe {
  assert.ok(entry instanceof AdmittedProbe, 'held back, or waits');
  return entry;
}

/** Returns the time after which a postponed probe must try again, ms. Throws if the probe was not postponed. */
export function retryOf(entry: Entry): number {
  assert.ok('retryAfterMs' in entry, 'not held back');
  return entry.retryAfterMs;
}

/**
 * Requests permission to send one packet for each running probe, and advances the clock by `ms`. Returns the delay of
 * each granted permission, in ms.
 */
export function departures(clock: ManualClock, running: AdmittedProbe[], ms: number): number[] {
  const start = clock.now;
  const gone: number[] = [];
  for (const admitted of running) admitted.waitForPacket().then(room => room && gone.push(clock.now - start));
  clock.pass(ms);
  return gone;
}

/** Waits until all promise callbacks that are ready have run. */
export const settled = () => new Promise(resolve => setImmediate(resolve));
