import { closeSync, openSync, readSync } from 'node:fs';
import { maskedCrc32c } from './crc32c.ts';

/**
 * Constants of LevelDB's log format (doc/log_format.md). A block of 32 KiB contains fragments, each with a header:
 * checksum (u32), length (u16), type (u8). A record is one FULL fragment, or several fragments: one FIRST, any number
 * of MIDDLE, and one LAST.
 */
const BLOCK = 32 * 1024;
const HEADER = 7;
const FULL = 1;
const FIRST = 2;
const LAST = 4;

/**
 * Fills a buffer with the next bytes of a file. Returns the number of bytes read. This number is less than the size of
 * the buffer only at the end of the file.
 */
function readFully(file: number, buffer: Buffer): number {
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(file, buffer, length, buffer.length - length, null);
    if (got === 0) break;
    length += got;
  }
  return length;
}

/**
 * Yields the blocks of a file one after the other. Only the last block can be shorter than BLOCK. All blocks share one
 * buffer, so a block is valid until the next one is read.
 */
function* blocksOf(path: string): Generator<Buffer, undefined> {
  const buffer = Buffer.allocUnsafe(BLOCK);
  const file = openSync(path, 'r');
  try {
    let length: number;
    do {
      length = readFully(file, buffer);
      yield buffer.subarray(0, length);
    } while (length === BLOCK);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the fragment of a log record that begins at `at` in a block of a LevelDB log. Returns the type of the fragment
 * and the offset of its end. Returns undefined if no intact fragment begins there.
 */
function fragmentAt(block: Buffer, at: number): { type: number; end: number } | undefined {
  if (at + HEADER > block.length) return undefined;
  const type = block[at + 6] ?? 0;
  const end = at + HEADER + block.readUInt16LE(at + 4);
  if (type < FULL || type > LAST || end > block.length) return undefined;
  return block.readUInt32LE(at) === maskedCrc32c(block, at + 6, end) ? { type, end } : undefined;
}

/**
 * True if a damaged block of a LevelDB log has an intact fragment (part of a record) at or after `from`. Tries every
 * offset, because the stored lengths can be wrong.
 */
function hasFragment(block: Buffer, from: number): boolean {
  for (let at = from; at + HEADER <= block.length; at++) {
    if (fragmentAt(block, at)) return true;
  }
  return false;
}

/**
 * Reads a file in LevelDB's log format, and verifies its checksums. Calls `onRecord` for each record before the first
 * damage; the record is valid only during the call. Returns the offset of the first damage, or undefined if there is
 * none.
 */
export function readLog(path: string, onRecord: (record: Buffer) => void): number | undefined {
  let fragments: Buffer[] = [];
  /** Position of the first damaged or incomplete fragment, in bytes from the start of the file. */
  let tornAt: number | undefined;
  /** Position of the current `block`, in bytes from the start of the file. */
  let start = 0;
  for (const block of blocksOf(path)) {
    let at = 0;
    while (tornAt === undefined && at < block.length && BLOCK - at >= HEADER) {
      const fragment = fragmentAt(block, at);
      if (!fragment) {
        tornAt = start + at;
        break;
      }
      const { type, end } = fragment;
      if (type <= FIRST !== (fragments.length === 0)) return start + at;
      const content = block.subarray(at + HEADER, end);
      if (type === FULL) onRecord(content);
      // Copies the fragment (a part of a log record), because the next block of the log file is read into the same
      // buffer.
      else fragments.push(Buffer.from(content));
      if (type === LAST) {
        onRecord(Buffer.concat(fragments));
        fragments = [];
      }
      at = end;
    }
    // Reports damage of the log file only if intact data follows. Otherwise, the damage is just an incomplete last
    // record, for example after a power cut.
    if (tornAt !== undefined && hasFragment(block, Math.max(0, tornAt + 1 - start))) return tornAt;
    start += block.length;
  }
  return undefined;
}

/** Number of bytes before the operations of a batch: a sequence number (u64) and the number of operations (u32). */
const BATCH_HEADER = 12;

/** The sequence numbers of the operations in a batch. A batch is one record of LevelDB's write log. */
export interface BatchRange {
  /** Sequence number of the first operation of the batch. LevelDB numbers all operations of a database without gaps. */
  first: number;
  /** First sequence number after the batch. */
  next: number;
}

/** Reads the sequence numbers of a batch. Returns undefined if the record is too short to be a batch. */
export function batchRange(record: Buffer): BatchRange | undefined {
  if (record.length < BATCH_HEADER) return undefined;
  const first = record.readUInt32LE(0) + record.readUInt32LE(4) * 2 ** 32;
  return { first, next: first + record.readUInt32LE(8) };
}
