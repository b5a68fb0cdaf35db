import assert from 'node:assert/strict';
import { type ServerRecord, serverKey } from '../../../../core/servers/server-record.ts';
import type { NewServer, ServerStore } from '../../../../core/servers/server-store.ts';
import type { Clock } from '../../clock.ts';
import { offlineRecord, onlineRecord } from '../../record-of.ts';
import { type LeasedRecord, leaseRecords } from '../lease-records.ts';

/**
 * A server store that a test has opened. Its two methods simulate a restart or a kill of the process, and then open the
 * data of the store again.
 */
export interface OpenedStore {
  store: ServerStore;
  /** Simulates an orderly restart of the process: opens the data of the server store again. */
  afterRestart(): Promise<ServerStore>;
  /** Simulates a kill of the process at the time of the call: opens the data of the server store again. */
  afterKill(): Promise<ServerStore>;
}

/** Function that defines a test of a server store. The store is empty when the test starts. */
export type Check = (
  name: string,
  run: (opened: OpenedStore & { clock: Clock }) => Promise<void>,
  maxServers?: number,
) => void;

export const INTERVAL_MS = 60_000;
export const LEASE_MS = 30_000;

/** Returns a server that a test can insert into a store. `n` is the last number of its IP address. */
export const server = (n: number, gameId = 'csgo'): NewServer => ({
  gameId,
  address: `1.2.3.${n}:27015`,
  insertedBy: 'tok_1',
});
export const keyOf = ({ gameId, address }: NewServer): string => serverKey(gameId, address);

export const online = (record: ServerRecord, now: number): ServerRecord =>
  onlineRecord(record, now, { queryPort: 27016 }, INTERVAL_MS);
export const failed = (record: ServerRecord, now: number): ServerRecord =>
  offlineRecord(record, now, {}, INTERVAL_MS);

/** Returns a server record as it is after a restart of the core: its count of answered probes is 0. */
export const restarted = (record: ServerRecord | undefined): ServerRecord | undefined =>
  record && { ...record, history: { ...record.history, answers: 0 } };

/**
 * Reserves (leases) the only server that is due for a probe, as a prober does. Fails unless exactly one server is due.
 */
export function leaseOne(store: ServerStore): LeasedRecord {
  const [lease, ...others] = leaseRecords(store, 10);
  assert.ok(lease);
  assert.deepEqual(others, []);
  return lease;
}
