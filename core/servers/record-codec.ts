import { crc32 } from 'node:zlib';
import { StringInterner } from '../../proto/codec/string-interner.ts';
import { HEADER, LAYOUT, readField } from './record-layout.ts';
import {
  addressAt,
  dataLengthAt,
  dataStartAt,
  inserterLengthAt,
  intervalMsAt,
  labelAt,
  lastOnlineAtOf,
  lastProbeAtOf,
  nextProbeAtOf,
  openHourLengthAt,
  pointerTo,
  queryPortAt,
  type RecordPointer,
  reasonAt,
  statusAt,
} from './record-pointer.ts';
import {
  labels,
  type ProbedServer,
  type ProbeHistory,
  reasons,
  type ServerRecord,
  serverKey,
  statuses,
} from './server-record.ts';

/** Error for a stored value that is not a server record written by `encodeRecord`. */
export class CorruptRecordError extends Error {
  override name = 'CorruptRecordError';
}

/** Current format of stored server records. `upgradeRecord` converts records of older formats. */
export const FORMAT = 4;
/** The first record format that contains the samples of the current, unfinished hour. */
export const FORMAT_WITH_HOURS = 4;
/** The oldest record format that this release can read: the format of release 0.1.0. */
const FIRST_FORMAT = 1;
/**
 * Maximum length of a key in the store, in characters. The longest game id and the longest host name together are much
 * shorter.
 */
export const MAX_KEY = 1024;
/**
 * A record stores `limitEvidence` multiplied by this factor, as an integer. `limitEvidence` is the evidence that a
 * server drops packets on purpose, as a natural logarithm (nats).
 */
const NAT = 10;
/** A record stores `lossShare` (0 to 1) multiplied by this factor, as an integer. */
const WHOLE_SHARE = 255;

const { format: FORMAT_FIELD, status: STATUS, clean: CLEAN, emptyTicks: EMPTY_TICKS, label: LABEL } = LAYOUT;
const { sameTicks: SAME_TICKS, inserterLength: INSERTER_LENGTH, checksum: CHECKSUM, reason: REASON } = LAYOUT;
const { isPublic: IS_PUBLIC } = LAYOUT;
const { intervalMs: INTERVAL_MS, answers: ANSWERS, limitEvidence: LIMIT_EVIDENCE, version: VERSION } = LAYOUT;
const {
  queryPort: QUERY_PORT,
  dataLength: DATA_LENGTH,
  lossShare: LOSS_SHARE,
  insertedAt: INSERTED_AT,
} = LAYOUT;
const { lastProbeAt: LAST_PROBE_AT, lastOnlineAt: LAST_ONLINE_AT, nextProbeAt: NEXT_PROBE_AT } = LAYOUT;
const { openHourLength: OPEN_HOUR_LENGTH } = LAYOUT;
/** Length of the header of a server record in formats before FORMAT_WITH_HOURS, bytes. */
const HEADER_WITHOUT_HOUR = HEADER - OPEN_HOUR_LENGTH.bytes;

/**
 * Memory for the header of the record that is being encoded, reused for each record. Fields that only the server table
 * in memory uses stay 0.
 */
const header: RecordPointer = pointerTo(new ArrayBuffer(HEADER));

/**
 * Encodes a record in its stored form: the header (record-layout.ts), the id of the inserter, the data, and the samples
 * of the unfinished hour. The key is not included.
 */
export function encodeRecord(record: ServerRecord): Buffer {
  const { data, insertedBy, openHour } = record;
  const inserterLength = Buffer.byteLength(insertedBy);
  const bytes = Buffer.allocUnsafe(HEADER + inserterLength + data.length + openHour.length);
  header.bytes[INSERTER_LENGTH.at] = inserterLength;
  writeHeader(header, record);
  bytes.set(header.bytes);
  bytes.write(insertedBy, HEADER);
  bytes.set(data, HEADER + inserterLength);
  bytes.set(openHour, HEADER + inserterLength + data.length);
  bytes.writeUInt32LE(checksumOf(bytes), CHECKSUM.at);
  return bytes;
}

/**
 * Writes the fields of a record header, except for the length of `insertedBy`, the checksum, and the fields that only
 * the server table in memory uses.
 */
function writeHeader({ bytes, view, at }: RecordPointer, record: ServerRecord): void {
  const { history } = record;
  bytes[at + FORMAT_FIELD.at] = FORMAT;
  bytes[at + STATUS.at] =
    statuses.indexOf(record.status) |
    (Math.min(history.clean, CLEAN.max) << CLEAN.shift) |
    (Math.min(history.emptyTicks, EMPTY_TICKS.max) << EMPTY_TICKS.shift);
  bytes[at + LABEL.at] =
    labels.indexOf(record.label) | (Math.min(history.sameTicks, SAME_TICKS.max) << SAME_TICKS.shift);
  bytes[at + IS_PUBLIC.at] =
    ((bytes[at + INSERTER_LENGTH.at] ?? 0) & INSERTER_LENGTH.max) |
    ((record.isPublic ? 1 : 0) << IS_PUBLIC.shift);
  view.setUint32(at + INTERVAL_MS.at, Math.min(record.intervalMs, INTERVAL_MS.max), true);
  bytes[at + REASON.at] =
    reasons.indexOf(record.reason) | (Math.min(history.answers, ANSWERS.max) << ANSWERS.shift);
  bytes[at + LIMIT_EVIDENCE.at] = Math.min(Math.round(history.limitEvidence * NAT), LIMIT_EVIDENCE.max);
  view.setUint16(at + QUERY_PORT.at, record.queryPort, true);
  view.setUint32(at + VERSION.at, record.version, true);
  // `setUint32` writes four bytes, but the field `dataLength` has only three. The fourth byte belongs to the field
  // `lossShare`, so `lossShare` must be written after `dataLength`.
  view.setUint32(at + DATA_LENGTH.at, record.data.length, true);
  bytes[at + LOSS_SHARE.at] = Math.round(history.lossShare * WHOLE_SHARE);
  view.setFloat64(at + INSERTED_AT.at, record.insertedAt, true);
  view.setFloat64(at + LAST_PROBE_AT.at, record.lastProbeAt, true);
  view.setFloat64(at + LAST_ONLINE_AT.at, record.lastOnlineAt, true);
  view.setFloat64(at + NEXT_PROBE_AT.at, record.nextProbeAt, true);
  bytes[at + OPEN_HOUR_LENGTH.at] = record.openHour.length;
}

/**
 * Overwrites the encoded record at `pointer` with a newer record of the same server. Keeps `insertedBy`, which never
 * changes. The memory at `pointer` must have room for the newer record. `record.data` must not be in this memory,
 * because this memory is overwritten.
 */
export function rewriteRecord(pointer: RecordPointer, record: ServerRecord): void {
  writeHeader(pointer, record);
  const dataStart = dataStartAt(pointer);
  pointer.bytes.set(record.data, dataStart);
  pointer.bytes.set(record.openHour, dataStart + record.data.length);
}

/** Returns the CRC-32 of all bytes of a stored record except its checksum field. */
function checksumOf(bytes: Buffer): number {
  return crc32(bytes.subarray(CHECKSUM.at + CHECKSUM.bytes), crc32(bytes.subarray(0, CHECKSUM.at)));
}

/**
 * Throws CorruptRecordError if the bytes of a stored record are not a record that `encodeRecord` wrote. The message
 * contains the key and the fault.
 */
export function checkRecord(key: string, bytes: Buffer): void {
  if (
    bytes.length < HEADER_WITHOUT_HOUR ||
    key.indexOf(' ') < 1 ||
    key.length > MAX_KEY ||
    !isKnownFormat(bytes)
  ) {
    throw new CorruptRecordError(
      `the stored record of "${key}" has an unknown format (the newest format of this release is ${FORMAT})`,
    );
  }
  if (bytes.readUInt32LE(CHECKSUM.at) !== checksumOf(bytes)) {
    throw new CorruptRecordError(`the stored record of "${key}" does not match its checksum`);
  }
  if (
    headAndHourLength(bytes) + readField(bytes, 0, INSERTER_LENGTH) + readField(bytes, 0, DATA_LENGTH) !==
    bytes.length
  ) {
    throw new CorruptRecordError(`the stored record of "${key}" has a wrong length`);
  }
}

/** Returns how many bytes the header and the samples of the unfinished hour together take in a stored record. */
function headAndHourLength(bytes: Buffer): number {
  if ((bytes[FORMAT_FIELD.at] ?? 0) < FORMAT_WITH_HOURS) return HEADER_WITHOUT_HOUR;
  return HEADER + (bytes[OPEN_HOUR_LENGTH.at] ?? 0);
}

function isKnownFormat(bytes: Buffer): boolean {
  const format = bytes[FORMAT_FIELD.at];
  return (
    format !== undefined &&
    format >= FIRST_FORMAT &&
    format <= FORMAT &&
    statuses[readField(bytes, 0, STATUS)] !== undefined &&
    labels[readField(bytes, 0, LABEL)] !== undefined
  );
}

const COMPARED = [STATUS, LABEL, REASON, INTERVAL_MS, QUERY_PORT, IS_PUBLIC];

/**
 * Returns true if two encoded records have the same status, firewall label, reason, probe interval, query port and
 * visibility.
 */
export function saysTheSame(stored: Buffer, { bytes, at }: RecordPointer): boolean {
  return COMPARED.every(field => readField(stored, 0, field) === readField(bytes, at, field));
}

function historyAt({ bytes, at }: RecordPointer): ProbeHistory {
  return {
    answers: (bytes[at + ANSWERS.at] ?? 0) >> ANSWERS.shift,
    lossShare: (bytes[at + LOSS_SHARE.at] ?? 0) / WHOLE_SHARE,
    limitEvidence: (bytes[at + LIMIT_EVIDENCE.at] ?? 0) / NAT,
    clean: ((bytes[at + CLEAN.at] ?? 0) >> CLEAN.shift) & CLEAN.max,
    emptyTicks: (bytes[at + EMPTY_TICKS.at] ?? 0) >> EMPTY_TICKS.shift,
    sameTicks: (bytes[at + SAME_TICKS.at] ?? 0) >> SAME_TICKS.shift,
  };
}

/**
 * Decodes the server record that `pointer` refers to. The result is a copy, so it stays valid when the store changes.
 */
export function decodeRecord(gameId: string, pointer: RecordPointer): ServerRecord {
  const record = recordAt(gameId, pointer);
  return { ...record, data: Buffer.from(record.data), openHour: Buffer.from(record.openHour) };
}

/** Shares one string per token id among all decoded records, because a few tokens insert most servers. */
const inserters = new StringInterner();

/**
 * Decodes the server record that `pointer` refers to. The fields `data` and `openHour` are not copied, so the result is
 * valid only as long as the pointer is valid.
 */
export function recordAt(gameId: string, pointer: RecordPointer): ServerRecord {
  const { bytes, view, at } = pointer;
  const dataStart = dataStartAt(pointer);
  const dataEnd = dataStart + dataLengthAt(pointer);
  const inserterStart = dataStart - inserterLengthAt(pointer);
  const address = addressAt(pointer);
  return {
    key: serverKey(gameId, address),
    gameId,
    address,
    insertedAt: view.getFloat64(at + INSERTED_AT.at, true),
    insertedBy: inserters.read(bytes, inserterStart, dataStart),
    isPublic: (bytes[at + IS_PUBLIC.at] ?? 0) >> IS_PUBLIC.shift === 1,
    status: statusAt(pointer),
    label: labelAt(pointer),
    intervalMs: intervalMsAt(pointer),
    lastProbeAt: lastProbeAtOf(pointer),
    lastOnlineAt: lastOnlineAtOf(pointer),
    nextProbeAt: nextProbeAtOf(pointer),
    reason: reasonAt(pointer),
    history: historyAt(pointer),
    queryPort: queryPortAt(pointer),
    version: view.getUint32(at + VERSION.at, true),
    data: bytes.subarray(dataStart, dataEnd),
    // Creates a Uint8Array for the samples, because this takes 40 ns. A Buffer from `subarray` would take 140 ns.
    openHour: new Uint8Array(view.buffer, view.byteOffset + dataEnd, openHourLengthAt(pointer)),
  };
}

/** Returns the fields of a record that the next probe of the server needs. The record is at `pointer`. */
export function probedServerAt(gameId: string, pointer: RecordPointer): ProbedServer {
  return {
    gameId,
    address: addressAt(pointer),
    nextProbeAt: nextProbeAtOf(pointer),
    queryPort: queryPortAt(pointer),
    inDoubt: lastProbeAtOf(pointer) > lastOnlineAtOf(pointer),
    onlineAt: statusAt(pointer) === 'online' ? lastOnlineAtOf(pointer) : 0,
  };
}
