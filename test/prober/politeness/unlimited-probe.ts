import assert from 'node:assert/strict';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import type { TimerWheel } from '../../../prober/timing/timer-wheel.ts';

/**
 * Returns a probe that the rate limiter has admitted. The rate limits are so high that no packet of the probe is ever
 * delayed.
 */
export function unlimitedProbe(wheel: TimerWheel, address = '127.0.0.1'): AdmittedProbe {
  const limits = { probesAnAddress: 1, packetsAnAddress: 999, packetsANetwork: 999, packetsInAll: 999 };
  const politeness = new Politeness(limits, wheel);
  const admitted = politeness.admit({ address, ports: [1] });
  assert.ok(admitted instanceof AdmittedProbe);
  return admitted;
}
