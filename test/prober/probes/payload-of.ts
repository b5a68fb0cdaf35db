import assert from 'node:assert/strict';
import type { ProbeResult } from '../../../prober/probes/probe-result.ts';

/** Returns the payload of a probe. Throws if the server was not online. */
export function payloadOf(result: ProbeResult) {
  assert.equal(result.outcome, 'PROBE_OUTCOME_ONLINE', JSON.stringify(result));
  if (result.outcome !== 'PROBE_OUTCOME_ONLINE') throw new TypeError('not online');
  return result.payload;
}
