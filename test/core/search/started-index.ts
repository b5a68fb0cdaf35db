import type { TestContext } from 'node:test';
import { ALL_FIELDS, type Transition } from '../../../core/feed/transition.ts';
import { SearchIndex } from '../../../core/search/search-index.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { until } from '../../system/until.ts';
import { type KnownFields, recordWith } from './search-fleet.ts';

/**
 * Returns the record of an online server. Each value of `i` has its own IP address. `change` replaces single fields of
 * the record.
 */
export function serverAt(i: number, change: Partial<KnownFields> = {}): ServerRecord {
  return recordWith({
    ...{ gameId: 'csgo', address: `10.0.${i >> 8}.${i & 255}:27015`, insertedBy: 'admin', status: 'online' },
    ...{ name: `Server ${i}`, map: 'de_dust2', version: '1', players: i % 50, password: false },
    ...change,
  });
}

/** Returns a change event with the records of a server before and after the change. */
export function changeOf(
  before: ServerRecord | undefined,
  after: ServerRecord | undefined,
  fields = ALL_FIELDS,
): Transition {
  return { sequence: 1, key: (after ?? before)?.key ?? '', fields, before, after };
}

/** Returns the change event of an inserted server. */
export const inserted = (after: ServerRecord): Transition => changeOf(undefined, after);
/** Returns the change event of a removed server. */
export const removed = (before: ServerRecord): Transition => changeOf(before, undefined);

/**
 * Starts a search index over the records that `records` yields. Adds the cause of each failure of the index to
 * `failures`. Closes the index when the test ends.
 */
export function startIndex(t: TestContext, records: () => Iterable<ServerRecord>) {
  const failures: string[] = [];
  const index = new SearchIndex({ records, count: () => 1_000, onFailure: cause => failures.push(cause) });
  // This timer keeps the test process alive, because the worker thread of the index does not. In a core, the open ports
  // keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  t.after(async () => {
    clearInterval(alive);
    await index.close();
  });
  return { index, failures };
}

/** Waits until the index contains all stored servers. */
export const untilFilled = (index: SearchIndex) =>
  until('the index is filled', () => index.isFilled, Boolean);
/** True if the error is CORE_1 (the core cannot answer now) with a time after which the caller can try again. */
export const isCore1 = (error: unknown) =>
  error instanceof ServiceError && error.code === 'CORE_1' && (error.details.retryAfterSeconds ?? 0) > 0;
