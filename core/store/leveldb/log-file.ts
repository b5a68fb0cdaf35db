import { maskedCrc32c } from './crc32c.ts';

/**
 * Constants of LevelDB's log format (doc/log_format.md). A log consists of blocks of 32 KiB. A block contains
 * fragments, each with a header: checksum (u32), length (u16) and type (u8). A record is one FULL fragment, or a FIRST
 * fragment, any number of MIDDLE fragments and a LAST fragment. LevelDB stores its writes and its manifest in this
 * format.
 */
const BLOCK = 32 * 1024;
const HEADER = 7;
const FULL = 1;
const FIRST = 2;
const LAST = 4;

/** Content of a file in LevelDB's log format. */
export interface LogContent {
  /** The complete records before the first damage, in the order in which they were written. */
  records: Buffer[];
  /**
   * Offset of the first damaged byte, if intact data follows it. Undefined if the file is intact, or if only its end is
   * torn: a kill of the process or a power cut tears the end of the record that is being written.
   */
  damagedAt: number | undefined;
}

/** Returns the type and the end of the fragment at `at`. Returns undefined if there is no intact fragment. */
function fragmentAt(log: Buffer, at: number): { type: number; end: number } | undefined {
  const left = Math.min(BLOCK - (at % BLOCK), log.length - at);
  if (left < HEADER) return undefined;
  const type = log[at + 6] ?? 0;
  const end = at + HEADER + log.readUInt16LE(at + 4);
  if (type < FULL || type > LAST || end > at + left) return undefined;
  return log.readUInt32LE(at) === maskedCrc32c(log, at + 6, end) ? { type, end } : undefined;
}

/**
 * True if an intact fragment begins at or after `from`. Tries every offset, because the damage can have destroyed the
 * length of a fragment. Few offsets need a checksum, because only four of 256 types are valid.
 */
function hasFragment(log: Buffer, from: number): boolean {
  for (let at = from; at + HEADER <= log.length; at++) {
    if (fragmentAt(log, at)) return true;
  }
  return false;
}

/** Reads a file in LevelDB's log format, and verifies its checksums. LevelDB itself skips damaged records silently. */
export function readLog(log: Buffer): LogContent {
  const records: Buffer[] = [];
  let fragments: Buffer[] = [];
  for (let at = 0; at < log.length; ) {
    const left = BLOCK - (at % BLOCK);
    if (left < HEADER) {
      at += left;
      continue;
    }
    const fragment = fragmentAt(log, at);
    if (!fragment) return { records, damagedAt: hasFragment(log, at + 1) ? at : undefined };
    const { type, end } = fragment;
    if (type <= FIRST !== (fragments.length === 0)) return { records, damagedAt: at };
    fragments.push(log.subarray(at + HEADER, end));
    if (type === FULL || type === LAST) {
      records.push(fragments.length === 1 ? (fragments[0] as Buffer) : Buffer.concat(fragments));
      fragments = [];
    }
    at = end;
  }
  return { records, damagedAt: undefined };
}

/** Number of bytes before the operations of a batch: a sequence number (u64) and the number of operations (u32). */
const BATCH_HEADER = 12;

/** The position of a batch, which is one record of LevelDB's write log, in the sequence of all operations. */
export interface BatchRange {
  /** Sequence number of the first operation. LevelDB numbers all operations of a database without gaps. */
  first: number;
  /** Sequence number after the last operation. */
  next: number;
}

/** Reads the sequence numbers of a batch. Returns undefined if the record is too short to be a batch. */
export function batchRange(record: Buffer): BatchRange | undefined {
  if (record.length < BATCH_HEADER) return undefined;
  const first = record.readUInt32LE(0) + record.readUInt32LE(4) * 2 ** 32;
  return { first, next: first + record.readUInt32LE(8) };
}
