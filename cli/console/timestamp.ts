/** A google.protobuf.Timestamp in the form that the gRPC clients of gsq return. */
interface Timestamp {
  seconds?: number | string | { toNumber(): number };
  nanos?: number;
}

/** Formats a time as ISO 8601 in UTC with milliseconds. Returns null if the time is not set. */
export function isoTime(timestamp: Timestamp | null | undefined): string | null {
  if (!timestamp) return null;
  const ms = Number(timestamp.seconds ?? 0) * 1000 + Math.floor((timestamp.nanos ?? 0) / 1e6);
  return new Date(ms).toISOString();
}
