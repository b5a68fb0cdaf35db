import type { ByteWriter } from '../../proto/codec/byte-writer.ts';

/**
 * Formats a time (Unix ms) as ISO 8601 in UTC, with milliseconds. Returns null for 0, the time of an event that has not
 * happened yet.
 */
export function isoTime(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

const DAY_MS = 86_400_000;
const NULL = Buffer.from('null');
/** Length of a formatted time such as "2026-11-21T09:49:02.123Z", in bytes. */
const LENGTH = 24;
/** Latest time (Unix ms) whose year has four digits. The text of a later time is longer. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const QUOTE = 0x22;
const COLON = 0x3a;
const DOT = 0x2e;
const SPACE = 0x20;
const T = 0x54;
const Z = 0x5a;

let cachedDay = Number.NaN;
let cachedDate = Buffer.alloc(10);

function digits2(bytes: Buffer, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = 0x30 + tens;
  bytes[at + 1] = 0x30 + value - tens * 10;
}

/**
 * Writes a time of the years 1 to 9999 in 19 bytes, for example `2026-11-21T09:49:02`. `between`: byte between the date
 * and the time; `T` in the example.
 */
function writeSecond(bytes: Buffer, start: number, ms: number, between: number): void {
  const day = Math.floor(ms / DAY_MS);
  if (day !== cachedDay) {
    cachedDay = day;
    cachedDate = Buffer.from(new Date(day * DAY_MS).toISOString().slice(0, 10));
  }
  for (let i = 0; i < 10; i++) bytes[start + i] = cachedDate[i] ?? 0;
  const seconds = ((ms - day * DAY_MS) / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  bytes[start + 10] = between;
  digits2(bytes, start + 11, hours);
  bytes[start + 13] = COLON;
  digits2(bytes, start + 14, minutes - hours * 60);
  bytes[start + 16] = COLON;
  digits2(bytes, start + 17, seconds - minutes * 60);
}

/**
 * Writes the result of `isoTime` as JSON. An answer with 100 servers contains 300 time stamps. This function takes 0.04
 * µs per time stamp; `toISOString` takes 0.6 µs.
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
  const bytes = out.room(LENGTH + 2);
  const at = out.length;
  bytes[at] = QUOTE;
  writeSecond(bytes, at + 1, ms, T);
  const millis = Math.floor(ms) % 1000;
  const hundreds = (millis / 100) | 0;
  bytes[at + 20] = DOT;
  bytes[at + 21] = 0x30 + hundreds;
  digits2(bytes, at + 22, millis - hundreds * 100);
  bytes[at + 24] = Z;
  bytes[at + 25] = QUOTE;
  out.length = at + LENGTH + 2;
}

/**
 * Writes a time as the JSON string `"YYYY-MM-DD HH:MM:SS"` in UTC. Returns the offset of the end of the string, which
 * is at most 24 bytes after `start`.
 */
export function writeSqlTime(bytes: Buffer, start: number, ms: number): number {
  if (!(ms >= 0 && ms <= LAST)) {
    const text = new Date(ms).toISOString();
    return start + bytes.write(`"${text.slice(0, text.indexOf('.')).replace('T', ' ')}"`, start);
  }
  bytes[start] = QUOTE;
  writeSecond(bytes, start + 1, ms, SPACE);
  bytes[start + 20] = QUOTE;
  return start + 21;
}
