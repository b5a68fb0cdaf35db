import { crc32 } from 'node:zlib';
import { shortText } from '../../proto/codec/short-text.ts';
import { StringInterner } from '../../proto/codec/string-interner.ts';
import {
  type Label,
  labels,
  type ProbedServer,
  type ProbeHistory,
  type Reason,
  reasons,
  type ServerRecord,
  type Status,
  serverKey,
} from './server-record.ts';

/** A stored value that cannot be what was written. */
export class CorruptRecordError extends Error {
  override name = 'CorruptRecordError';
}

/** The format of a record; `upgradeRecord` brings those from FIRST_FORMAT on to it. */
export const FORMAT = 3;
/** What 0.1.0 wrote. */
const FIRST_FORMAT = 1;
/** Length of the header of a record, in bytes. */
export const HEADER = 64;
/** Where the header keeps the length of the address, and what else only memory knows, to its end. */
export const IN_MEMORY = 56;
/** Where it keeps the slot, one of these. */
export const SLOT = 60;
/** The longest key a store takes, in characters: a game id and the longest name there is, with room to spare. */
export const MAX_KEY = 1024;
const statuses: readonly Status[] = ['pending', 'online', 'offline'];
const STATUS_BITS = 0b11;
const LABEL_BITS = 0b111;
const REASON_BITS = 0b1111;
/** Units of `limitEvidence` to a nat. */
const NAT = 10;
const SHARE = 255;

/**
 * Writes a record as it is stored: a fixed header (little endian), the inserter, the data. The key is not
 * repeated. In memory the address stands behind the header.
 *
 * offset 0 format u8 · 1 status 2 bits, clean 3, empty ticks 3 · 2 label 3 bits, same ticks 5 · 3 inserter length u8 ·
 * 4 crc32 u32 of all other bytes · 8 interval ms u32 · 12 reason 4 bits, answers 4 · 13 limit evidence u8 ·
 * 14 query port u16 · 16 version u32 · 20 data length u24 · 23 loss share u8 ·
 * 24 inserted at f64 · 32 last probe f64 · 40 last online f64 · 48 next probe f64 ·
 * 56 address length u16 · 58 u16 and 60 u32 for the table in memory; all 0 where stored
 */
export function encodeRecord(record: ServerRecord): Buffer {
  const { data, insertedBy } = record;
  const inserterLength = Buffer.byteLength(insertedBy);
  const bytes = Buffer.allocUnsafe(HEADER + inserterLength + data.length);
  header.bytes[3] = inserterLength;
  writeHeader(header, record);
  bytes.set(header.bytes);
  bytes.write(insertedBy, HEADER);
  bytes.set(data, HEADER + inserterLength);
  bytes.writeUInt32LE(checksum(bytes), 4);
  return bytes;
}

/** Where headers are written that go to disk: what only memory knows is 0. */
const header: RecordPointer = placeIn(new ArrayBuffer(HEADER));

function placeIn(memory: ArrayBuffer): RecordPointer {
  return { bytes: Buffer.from(memory), view: new DataView(memory), at: 0 };
}

/** Writes all of a header but the length of the inserter, the checksum and what only memory knows. */
function writeHeader({ bytes, view, at }: RecordPointer, record: ServerRecord): void {
  const { history } = record;
  bytes[at] = FORMAT;
  bytes[at + 1] =
    statuses.indexOf(record.status) | bits(history.clean, 2, 3) | bits(history.emptyTicks, 5, 3);
  bytes[at + 2] = labels.indexOf(record.label) | bits(history.sameTicks, 3, 5);
  view.setUint32(at + 8, Math.min(record.intervalMs, 0xffffffff), true);
  bytes[at + 12] = reasons.indexOf(record.reason) | bits(history.answers, 4, 4);
  bytes[at + 13] = Math.min(Math.round(history.limitEvidence * NAT), 255);
  view.setUint16(at + 14, record.queryPort, true);
  view.setUint32(at + 16, record.version, true);
  view.setUint32(at + 20, record.data.length, true);
  bytes[at + 23] = Math.round(history.lossShare * SHARE);
  view.setFloat64(at + 24, record.insertedAt, true);
  view.setFloat64(at + 32, record.lastProbeAt, true);
  view.setFloat64(at + 40, record.lastOnlineAt, true);
  view.setFloat64(at + 48, record.nextProbeAt, true);
}

/** Writes another record of a server over the one at a place, which has room for it. The inserter stays. */
export function rewriteRecord(place: RecordPointer, record: ServerRecord): void {
  writeHeader(place, record);
  place.bytes.set(record.data, dataStartAt(place));
}

/** A number in a field of so many bits that begins at `shift`; the most it can hold where it is more. */
function bits(value: number, shift: number, width: number): number {
  return Math.min(value, (1 << width) - 1) << shift;
}

function checksum(bytes: Buffer): number {
  return crc32(bytes.subarray(8), crc32(bytes.subarray(0, 4)));
}

/** Throws CorruptRecordError, which names the key and what does not hold, where `encodeRecord` wrote no such bytes. */
export function checkRecord(key: string, bytes: Buffer): void {
  const known = statuses[(bytes[1] ?? 0) & STATUS_BITS] && labels[(bytes[2] ?? 0) & LABEL_BITS];
  if (
    bytes.length < HEADER ||
    key.indexOf(' ') < 1 ||
    key.length > MAX_KEY ||
    (bytes[0] ?? 0) < FIRST_FORMAT ||
    (bytes[0] ?? 0) > FORMAT ||
    !known
  ) {
    throw new CorruptRecordError(`the stored record of "${key}" is in no format up to ${FORMAT}`);
  }
  if (bytes.readUInt32LE(4) !== checksum(bytes)) {
    throw new CorruptRecordError(`the stored record of "${key}" does not match its checksum`);
  }
  if (HEADER + (bytes[3] ?? 0) + bytes.readUIntLE(20, 3) !== bytes.length) {
    throw new CorruptRecordError(`the stored record of "${key}" has a wrong length`);
  }
}

/** Where the encoded record of a server lies; good until the store is next changed, so never across an await. */
export interface RecordPointer {
  bytes: Buffer;
  /** The same memory. V8 reads and writes numbers through it in place; those of a Buffer are calls. */
  view: DataView;
  /** Offset of the record in both. */
  at: number;
}

/** A place to be filled. */
export function newPointer(): RecordPointer {
  return placeIn(new ArrayBuffer(0));
}

// Each of these reads one field where it lies; fields are explained at ServerRecord.

export function statusAt({ bytes, at }: RecordPointer): Status {
  return statuses[(bytes[at + 1] ?? 0) & STATUS_BITS] ?? 'pending';
}

export function labelAt({ bytes, at }: RecordPointer): Label {
  return labels[(bytes[at + 2] ?? 0) & LABEL_BITS] ?? 'none';
}

export function reasonAt({ bytes, at }: RecordPointer): Reason {
  return reasons[(bytes[at + 12] ?? 0) & REASON_BITS] ?? 'no_reply';
}

export function queryPortAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + 14, true);
}

export function intervalMsAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + 8, true);
}

export function lastProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + 32, true);
}

export function lastOnlineAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + 40, true);
}

export function nextProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + 48, true);
}

/** A small whole number that stands for the server as long as it is tracked. */
export function slotAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + SLOT, true);
}

/** Whether a stored record has the status, reason, label, interval and port of the one at a place. */
export function saysTheSame(stored: Buffer, { bytes, view, at }: RecordPointer): boolean {
  return (
    (((stored[1] ?? 0) ^ (bytes[at + 1] ?? 0)) & STATUS_BITS) === 0 &&
    (((stored[2] ?? 0) ^ (bytes[at + 2] ?? 0)) & LABEL_BITS) === 0 &&
    (((stored[12] ?? 0) ^ (bytes[at + 12] ?? 0)) & REASON_BITS) === 0 &&
    stored.readUInt32LE(8) === view.getUint32(at + 8, true) &&
    stored.readUInt16LE(14) === view.getUint16(at + 14, true)
  );
}

/** Moves the next probe, of a record in memory only. */
export function setNextProbeAt({ view, at }: RecordPointer, time: number): void {
  view.setFloat64(at + 48, time, true);
}

/** Offset in `place.bytes` of the canonical address. */
export function addressStartAt({ at }: RecordPointer): number {
  return at + HEADER;
}

/** Bytes of the canonical address. */
export function addressLengthAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + IN_MEMORY, true);
}

/** Offset in `place.bytes` of the data, which `ServerRecord.data` describes. */
export function dataStartAt({ bytes, view, at }: RecordPointer): number {
  return at + HEADER + view.getUint16(at + IN_MEMORY, true) + (bytes[at + 3] ?? 0);
}

/** Bytes of data; 0 if the server has never answered. */
export function dataLengthAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + 20, true) & 0xffffff;
}

/** Makes the loss of the server at a place unknown: what was measured before a restart may not hold after it. */
export function forgetLoss({ bytes, at }: RecordPointer): void {
  bytes[at + 12] = (bytes[at + 12] ?? 0) & REASON_BITS;
}

function historyAt(bytes: Buffer, at: number): ProbeHistory {
  return {
    answers: (bytes[at + 12] ?? 0) >> 4,
    lossShare: (bytes[at + 23] ?? 0) / SHARE,
    limitEvidence: (bytes[at + 13] ?? 0) / NAT,
    clean: ((bytes[at + 1] ?? 0) >> 2) & 0b111,
    emptyTicks: (bytes[at + 1] ?? 0) >> 5,
    sameTicks: (bytes[at + 2] ?? 0) >> 3,
  };
}

function addressAt({ bytes, view, at }: RecordPointer): string {
  const start = at + HEADER;
  const end = start + view.getUint16(at + IN_MEMORY, true);
  return shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
}

/** The record at a place, as an object that stays as it is. */
export function decodeRecord(gameId: string, place: RecordPointer): ServerRecord {
  const record = recordAt(gameId, place);
  return { ...record, data: Buffer.from(record.data) };
}

/** Ids of tokens: those of few insert most servers. */
const inserters = new StringInterner();

/** The same, but that its data lies where the place is, and so is good no longer than that. */
export function recordAt(gameId: string, place: RecordPointer): ServerRecord {
  const { bytes, view, at } = place;
  const dataStart = dataStartAt(place);
  const inserterStart = dataStart - (bytes[at + 3] ?? 0);
  const address = addressAt(place);
  return {
    key: serverKey(gameId, address),
    gameId,
    address,
    insertedAt: view.getFloat64(at + 24, true),
    insertedBy: inserters.read(bytes, inserterStart, dataStart),
    status: statusAt(place),
    label: labelAt(place),
    intervalMs: intervalMsAt(place),
    lastProbeAt: lastProbeAtOf(place),
    lastOnlineAt: lastOnlineAtOf(place),
    nextProbeAt: nextProbeAtOf(place),
    reason: reasonAt(place),
    history: historyAt(bytes, at),
    queryPort: queryPortAt(place),
    version: view.getUint32(at + 16, true),
    data: bytes.subarray(dataStart, dataStart + dataLengthAt(place)),
  };
}

/** What has to be known to probe the server at a place. */
export function probedServerAt(gameId: string, place: RecordPointer): ProbedServer {
  return {
    gameId,
    address: addressAt(place),
    nextProbeAt: nextProbeAtOf(place),
    queryPort: queryPortAt(place),
    inDoubt: lastProbeAtOf(place) > lastOnlineAtOf(place),
    onlineAt: statusAt(place) === 'online' ? lastOnlineAtOf(place) : 0,
  };
}
