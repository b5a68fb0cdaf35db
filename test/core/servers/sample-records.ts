import { newRecord } from '../../../core/servers/record-status.ts';
import {
  labels,
  noHistory,
  type ProbeHistory,
  reasons,
  type ServerRecord,
  statuses,
} from '../../../core/servers/server-record.ts';
import { offlineRecord, onlineRecord, silentRecord } from '../record-of.ts';

const now = Date.UTC(2026, 0, 1);

/** Example record for tests: a server that was never probed. */
export const pending = newRecord('csgo', '[2001:db8::1]:27015', 'tok_0123456789ab', now, 60_000);
/** Example record for tests: the same server as in `pending`, after it has answered its first probe. */
export const online = onlineRecord(pending, now + 0.5, { queryPort: 65_535 });
/** Example record for tests: the same server as in `online`, after one unanswered probe. Its status is still online. */
export const failed = silentRecord(online, now + 60_000, { reason: 'refused' });
/** Example record for tests: the server of the record `failed`, after gsq has set it to offline. */
export const offline = offlineRecord(failed, now + 120_000, { hostAnswers: true });

/** The probe counters of a server record, each with its largest value. */
export const full: ProbeHistory = {
  answers: 15,
  lossShare: 1,
  limitEvidence: 25.5,
  clean: 7,
  emptyTicks: 7,
  sameTicks: 31,
};

/**
 * Returns probe histories (counters of probes) for tests of their encoding:
 * - all fields are empty
 * - all fields have their smallest value above zero
 * - all fields have their largest value
 * - one field has its smallest or largest value, and the other fields are empty
 * - one field is empty, and the other fields have their largest value
 */
export function histories(): ProbeHistory[] {
  const least = { answers: 1, lossShare: 1 / 255, limitEvidence: 0.1, clean: 1, emptyTicks: 1, sameTicks: 1 };
  const fields = Object.keys(full) as (keyof ProbeHistory)[];
  const each = fields.flatMap(field => [
    { ...noHistory, [field]: full[field] },
    { ...full, [field]: 0 },
    { ...noHistory, [field]: least[field] },
  ]);
  return [noHistory, full, least, ...each];
}

/** Returns a record with random values in all fields. `below(n)` returns a random integer from 0 to n - 1. */
export function randomRecord(below: (most: number) => number): ServerRecord {
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const address = below(2)
    ? `1.2.${below(256)}.4:${below(65_536)}`
    : `${'a'.repeat(1 + below(60))}.example:1`;
  return {
    ...newRecord('csgo', address, `tok_${'x'.repeat(below(40))}`, below(2 ** 31) * 1000, 60_000),
    status: one(statuses),
    label: one(labels),
    reason: one(reasons),
    intervalMs: below(2 ** 32),
    lastProbeAt: below(2 ** 31) * 1000,
    lastOnlineAt: below(2 ** 31) * 1000,
    nextProbeAt: below(2 ** 31) * 1000,
    history: {
      answers: below(16),
      lossShare: below(256) / 255,
      limitEvidence: below(256) / 10,
      clean: below(8),
      emptyTicks: below(8),
      sameTicks: below(32),
    },
    isPublic: below(2) === 1,
    queryPort: below(65_536),
    version: below(2 ** 32),
    data: Buffer.from('☃'.repeat(below(300))),
    openHour: Buffer.alloc(below(2) * below(256), below(256)),
  };
}
