import { isUtf8 } from 'node:buffer';

/**
 * True if the bytes from `start` to `end` are valid UTF-8. Checks ASCII text four bytes at a time, because most texts
 * are ASCII.
 */
export function isUtf8Text(bytes: Buffer, view: DataView, start: number, end: number): boolean {
  let at = start;
  for (; at + 4 <= end; at += 4)
    if ((view.getInt32(at, true) & 0x80808080) !== 0) return isUtf8(bytes.subarray(start, end));
  for (; at < end; at++) if ((bytes[at] as number) > 0x7f) return isUtf8(bytes.subarray(start, end));
  return true;
}
