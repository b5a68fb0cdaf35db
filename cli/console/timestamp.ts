/** A google.protobuf.Timestamp as our clients read it. */
interface Timestamp {
  seconds?: number | string | { toNumber(): number };
  nanos?: number;
}

/** ISO 8601 in UTC with milliseconds; null if the time is not set. */
export function isoTime(timestamp: Timestamp | null | undefined): string | null {
  if (!timestamp) return null;
  const ms = Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1e6);
  return new Date(ms).toISOString();
}
