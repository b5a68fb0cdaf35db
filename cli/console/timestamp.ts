import type { Now } from '../../runtime/clock.ts';
import type { Output } from './output.ts';

/** A google.protobuf.Timestamp in the form that the gRPC clients of gsq return. */
interface Timestamp {
  seconds?: number | string | { toNumber(): number };
  nanos?: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** If a time is further away from now than this number of milliseconds, it is shown as a date. */
const NEAR_MS = 60 * DAY;

/** Formats a time as ISO 8601 in UTC with milliseconds. Returns null if the time is not set. */
export function isoTime(timestamp: Timestamp | null | undefined): string | null {
  if (!timestamp) return null;
  const ms = Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1e6);
  return new Date(ms).toISOString();
}

function duration(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/**
 * Formats an ISO 8601 time for an output. On a terminal, a time less than 60 days away becomes its distance from now,
 * such as `in 12 days`. Other times become a date. If the output is no terminal, the time stays unchanged.
 */
export function readableTime<T extends string | null>(iso: T, output: Output, now: Now): T | string {
  if (iso === null || !output.isTerminal) return iso;
  const ms = Date.parse(iso) - now();
  const far = Math.abs(ms);
  if (far >= NEAR_MS) return iso.slice(0, 'YYYY-MM-DD'.length);
  if (far < SECOND) return 'now';
  return ms < 0 ? `${duration(far)} ago` : `in ${duration(far)}`;
}
