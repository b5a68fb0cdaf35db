import { crc32 } from 'node:zlib';
import { renderJson } from './payload.ts';
import { type Label, labels, type ServerRecord, type Status, serverKey } from './server-record.ts';

/** A stored value that cannot be what was written. */
export class CorruptRecordError extends Error {
  override name = 'CorruptRecordError';
}

const FORMAT = 1;
const HEADER = 64;
const statuses: readonly Status[] = ['pending', 'online', 'offline'];

/**
 * Writes a record as bytes: a fixed header (little endian), the inserter, the data JSON. The key is not repeated.
 *
 * offset 0 format u8 · 1 status u8 · 2 label u8 · 3 inserter length u8 · 4 crc32 u32 of all other bytes ·
 * 8 interval ms u32 · 12 failures u16 · 14 query port u16 · 16 version u32 · 20 data length u32 ·
 * 24 inserted at f64 · 32 last probe f64 · 40 last online f64 · 48 next probe f64 · 56 reserved
 */
export function encodeRecord(record: ServerRecord): Buffer {
  const inserter = Buffer.from(record.insertedBy);
  const data = record.json.subarray(0, record.dataLength);
  const bytes = Buffer.alloc(HEADER + inserter.length + data.length);
  bytes[0] = FORMAT;
  bytes[1] = statuses.indexOf(record.status);
  bytes[2] = labels.indexOf(record.label);
  bytes[3] = inserter.length;
  bytes.writeUInt32LE(Math.min(record.intervalMs, 0xffffffff), 8);
  bytes.writeUInt16LE(Math.min(record.failures, 0xffff), 12);
  bytes.writeUInt16LE(record.queryPort, 14);
  bytes.writeUInt32LE(record.version, 16);
  bytes.writeUInt32LE(data.length, 20);
  bytes.writeDoubleLE(record.insertedAt, 24);
  bytes.writeDoubleLE(record.lastProbeAt, 32);
  bytes.writeDoubleLE(record.lastOnlineAt, 40);
  bytes.writeDoubleLE(record.nextProbeAt, 48);
  inserter.copy(bytes, HEADER);
  data.copy(bytes, HEADER + inserter.length);
  bytes.writeUInt32LE(checksum(bytes), 4);
  return bytes;
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(8), crc32(bytes.subarray(0, 4)));
}

/** Reads what `encodeRecord` wrote. Throws CorruptRecordError, which names the key and what does not hold. */
export function decodeRecord(key: string, bytes: Buffer): ServerRecord {
  const space = key.indexOf(' ');
  const status = statuses[bytes[1] ?? -1];
  const label: Label | undefined = labels[bytes[2] ?? -1];
  if (bytes.length < HEADER || space < 1 || bytes[0] !== FORMAT || !status || !label) {
    throw new CorruptRecordError(`the stored record of "${key}" is not in format ${FORMAT}`);
  }
  if (bytes.readUInt32LE(4) !== checksum(bytes)) {
    throw new CorruptRecordError(`the stored record of "${key}" does not match its checksum`);
  }
  const dataStart = HEADER + (bytes[3] ?? 0);
  const dataLength = bytes.readUInt32LE(20);
  if (dataStart + dataLength !== bytes.length) {
    throw new CorruptRecordError(`the stored record of "${key}" has a wrong length`);
  }
  const gameId = key.slice(0, space);
  const address = key.slice(space + 1);
  const timing = {
    status,
    label,
    intervalMs: bytes.readUInt32LE(8),
    lastProbeAt: bytes.readDoubleLE(32),
    lastOnlineAt: bytes.readDoubleLE(40),
    nextProbeAt: bytes.readDoubleLE(48),
  };
  return {
    key: serverKey(gameId, address),
    gameId,
    address,
    insertedAt: bytes.readDoubleLE(24),
    insertedBy: bytes.toString('utf8', HEADER, dataStart),
    ...timing,
    failures: bytes.readUInt16LE(12),
    queryPort: bytes.readUInt16LE(14),
    version: bytes.readUInt32LE(16),
    json: renderJson(timing, bytes.subarray(dataStart)),
    dataLength,
  };
}
