/** A google.protobuf.Timestamp as clients of this project read it. */
interface Timestamp {
  seconds?: number | string | { toNumber(): number };
  nanos?: number;
}

/** ISO 8601 UTC with milliseconds; null where the time has not happened. */
export function isoTime(timestamp: Timestamp | null | undefined): string | null {
  if (!timestamp) return null;
  const ms = Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1e6);
  return new Date(ms).toISOString();
}
