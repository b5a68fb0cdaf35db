import { type TestContext, test } from 'node:test';
import { clockAt } from '../clock.ts';
import { checkInserts } from './server-store/inserts.ts';
import { checkLeases } from './server-store/leases.ts';
import { checkLookUps } from './server-store/lookups.ts';
import { checkRemovals } from './server-store/removals.ts';
import { checkRestarts } from './server-store/restarts.ts';
import { INTERVAL_MS, LEASE_MS, type OpenedStore } from './server-store/store-check.ts';

export interface StoreOptions {
  now: () => number;
  probeIntervalMs: number;
  leaseMs: number;
  maxServers: number;
}

/**
 * Defines the tests that every `ServerStore` must pass. `open` opens an empty store, and closes it when the test ends
 * (`t.after`).
 */
export function serverStoreContract(
  name: string,
  open: (t: TestContext, options: StoreOptions) => Promise<OpenedStore>,
): void {
  for (const checkPart of [checkLookUps, checkInserts, checkLeases, checkRestarts, checkRemovals]) {
    checkPart((what, run, maxServers = 1000) => {
      test(`${name}: ${what}`, async t => {
        const clock = clockAt();
        const options = { now: clock.now, probeIntervalMs: INTERVAL_MS, leaseMs: LEASE_MS, maxServers };
        await run({ clock, ...(await open(t, options)) });
      });
    });
  }
}
