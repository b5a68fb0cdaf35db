import assert from 'node:assert/strict';
import { until } from '../system/until.ts';
import type { Clock } from './in-process.ts';
import type { RestServer } from './rest.ts';

/** Maximum number of unanswered probes until a server is offline. If the server needs more probes, the test fails. */
const MOST_LOOKS = 60;

/**
 * Advances the clock to the next probe of a server. Resolves to the data of the server after this probe. `look`
 * fetches this data.
 */
export async function nextProbe(clock: Clock, look: () => Promise<RestServer>): Promise<RestServer> {
  const { next_probe_at, last_probe_at } = (await look())._updater;
  clock.ms = Math.max(clock.ms, Date.parse(next_probe_at ?? ''));
  return until('the next probe', look, ({ _updater }) => _updater.last_probe_at !== last_probe_at);
}

/**
 * For a server that answers no probe: advances the clock from probe to probe until the server is offline. Returns the
 * data of the server after each probe. `look` fetches this data.
 */
export async function goOffline(clock: Clock, look: () => Promise<RestServer>): Promise<RestServer[]> {
  const seen: RestServer[] = [];
  do seen.push(await nextProbe(clock, look));
  while (seen.at(-1)?._updater.status !== 'offline' && seen.length < MOST_LOOKS);
  assert.equal(seen.at(-1)?._updater.status, 'offline', `not offline after ${seen.length} probes`);
  return seen;
}
