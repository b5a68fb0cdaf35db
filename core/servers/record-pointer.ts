import { shortText } from '../../proto/codec/short-text.ts';
import { HEADER, LAYOUT } from './record-layout.ts';
import { type Label, labels, type Reason, reasons, type Status, statuses } from './server-record.ts';

const { status: STATUS, label: LABEL, reason: REASON, queryPort: QUERY_PORT, slot: SLOT } = LAYOUT;
const { intervalMs: INTERVAL_MS, inserterLength: INSERTER_LENGTH, dataLength: DATA_LENGTH } = LAYOUT;
const { lastProbeAt: LAST_PROBE_AT, lastOnlineAt: LAST_ONLINE_AT, nextProbeAt: NEXT_PROBE_AT } = LAYOUT;
const { addressLength: ADDRESS_LENGTH, answers: ANSWERS } = LAYOUT;

/** Points to the encoded record of a server in memory; valid until the store changes next, so never across an await. */
export interface RecordPointer {
  bytes: Buffer;
  /** The same memory. V8 reads and writes numbers through a DataView inline; those of a Buffer are calls. */
  view: DataView;
  /** Offset of the record in both. */
  at: number;
}

/** A pointer to the beginning of a block of memory. */
export function pointerTo(memory: ArrayBuffer): RecordPointer {
  return { bytes: Buffer.from(memory), view: new DataView(memory), at: 0 };
}

/** A pointer to nothing, for `ServerStore.find` to fill. */
export function newPointer(): RecordPointer {
  return pointerTo(new ArrayBuffer(0));
}

// Each of these reads one field of the record that a pointer leads to. ServerRecord says what the fields mean.

export function statusAt({ bytes, at }: RecordPointer): Status {
  return statuses[(bytes[at + STATUS.at] ?? 0) & STATUS.max] ?? 'pending';
}

export function labelAt({ bytes, at }: RecordPointer): Label {
  return labels[(bytes[at + LABEL.at] ?? 0) & LABEL.max] ?? 'none';
}

export function reasonAt({ bytes, at }: RecordPointer): Reason {
  return reasons[(bytes[at + REASON.at] ?? 0) & REASON.max] ?? 'no_reply';
}

export function queryPortAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + QUERY_PORT.at, true);
}

export function intervalMsAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + INTERVAL_MS.at, true);
}

export function lastProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + LAST_PROBE_AT.at, true);
}

export function lastOnlineAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + LAST_ONLINE_AT.at, true);
}

export function nextProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + NEXT_PROBE_AT.at, true);
}

/** A small integer that stands for the server as long as it is tracked. */
export function slotAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + SLOT.at, true);
}

/** The canonical address of the server. */
export function addressAt({ bytes, view, at }: RecordPointer): string {
  const start = at + HEADER;
  const end = start + view.getUint16(at + ADDRESS_LENGTH.at, true);
  return shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
}

/** Offset in `pointer.bytes` of the canonical address. */
export function addressStartAt({ at }: RecordPointer): number {
  return at + HEADER;
}

/** Length of the canonical address in bytes. */
export function addressLengthAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + ADDRESS_LENGTH.at, true);
}

/** Offset in `pointer.bytes` of the data, which `ServerRecord.data` describes. */
export function dataStartAt({ bytes, view, at }: RecordPointer): number {
  return at + HEADER + view.getUint16(at + ADDRESS_LENGTH.at, true) + (bytes[at + INSERTER_LENGTH.at] ?? 0);
}

/** Length of the data in bytes; 0 if the server has never answered. */
export function dataLengthAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + DATA_LENGTH.at, true) & DATA_LENGTH.max;
}

/** Moves the next probe, in memory only. `time`: ms since the Unix epoch. */
export function setNextProbeAt({ view, at }: RecordPointer, time: number): void {
  view.setFloat64(at + NEXT_PROBE_AT.at, time, true);
}

/** Forgets how much of the server's answers was lost: what was measured before a restart may not hold after it. */
export function forgetLoss({ bytes, at }: RecordPointer): void {
  bytes[at + ANSWERS.at] = (bytes[at + ANSWERS.at] ?? 0) & ~(ANSWERS.max << ANSWERS.shift);
}
