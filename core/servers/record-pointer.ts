import { shortText } from '../../proto/codec/short-text.ts';
import { HEADER, LAYOUT } from './record-layout.ts';
import { type Label, labels, type Reason, reasons, type Status, statuses } from './server-record.ts';

const { status: STATUS, label: LABEL, reason: REASON, queryPort: QUERY_PORT, slot: SLOT } = LAYOUT;
const { intervalMs: INTERVAL_MS, inserterLength: INSERTER_LENGTH, dataLength: DATA_LENGTH } = LAYOUT;
const { lastProbeAt: LAST_PROBE_AT, lastOnlineAt: LAST_ONLINE_AT, nextProbeAt: NEXT_PROBE_AT } = LAYOUT;
const { addressLength: ADDRESS_LENGTH, answers: ANSWERS, openHourLength: OPEN_HOUR_LENGTH } = LAYOUT;

/**
 * Pointer to the encoded record of a server in memory. It is valid only until the store changes, so do not use it after
 * an await.
 */
export interface RecordPointer {
  bytes: Buffer;
  /** DataView of the same memory as `bytes`. It reads numbers faster than a Buffer, because V8 inlines the access. */
  view: DataView;
  /** Offset of the record in `bytes` and in `view`. */
  at: number;
}

/** Creates a record pointer that points to the beginning of a block of memory. */
export function pointerTo(memory: ArrayBuffer): RecordPointer {
  return { bytes: Buffer.from(memory), view: new DataView(memory), at: 0 };
}

/** Creates a pointer that does not point to a record yet. `ServerStore.find` sets the pointer to a record. */
export function newPointer(): RecordPointer {
  return pointerTo(new ArrayBuffer(0));
}

/** Returns the status of the server. */
export function statusAt({ bytes, at }: RecordPointer): Status {
  return statuses[(bytes[at + STATUS.at] ?? 0) & STATUS.max] ?? 'pending';
}

/** Returns the firewall label of the server: how the server or its firewall treats probes. */
export function labelAt({ bytes, at }: RecordPointer): Label {
  return labels[(bytes[at + LABEL.at] ?? 0) & LABEL.max] ?? 'none';
}

/** Returns the reason why the server is not online. */
export function reasonAt({ bytes, at }: RecordPointer): Reason {
  return reasons[(bytes[at + REASON.at] ?? 0) & REASON.max] ?? 'no_reply';
}

/** Returns the query port at which the server answered last; 0 if no such port is known. */
export function queryPortAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + QUERY_PORT.at, true);
}

/** Returns the time between two probes of the server, ms. */
export function intervalMsAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + INTERVAL_MS.at, true);
}

/** Returns the time of the last probe of the server, Unix ms. */
export function lastProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + LAST_PROBE_AT.at, true);
}

/** Returns the time of the last answer of the server, Unix ms. */
export function lastOnlineAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + LAST_ONLINE_AT.at, true);
}

/** Returns the time of the next probe of the server, Unix ms. */
export function nextProbeAtOf({ view, at }: RecordPointer): number {
  return view.getFloat64(at + NEXT_PROBE_AT.at, true);
}

/**
 * Returns the index of the server in the table of tracked servers (slot). It stays the same as long as the server is
 * tracked.
 */
export function slotAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + SLOT.at, true);
}

/** Returns the canonical address of the server. */
export function addressAt({ bytes, view, at }: RecordPointer): string {
  const start = at + HEADER;
  const end = start + view.getUint16(at + ADDRESS_LENGTH.at, true);
  return shortText(bytes, start, end) ?? bytes.toString(undefined, start, end);
}

/** Returns the offset of the server's canonical address in `pointer.bytes`. */
export function addressStartAt({ at }: RecordPointer): number {
  return at + HEADER;
}

/** Returns the length of the server's canonical address in bytes. */
export function addressLengthAt({ view, at }: RecordPointer): number {
  return view.getUint16(at + ADDRESS_LENGTH.at, true);
}

/** Returns the length of the id of the token that inserted the server, in bytes. */
export function inserterLengthAt({ bytes, at }: RecordPointer): number {
  return (bytes[at + INSERTER_LENGTH.at] ?? 0) & INSERTER_LENGTH.max;
}

/** Returns the offset of the server data (`ServerRecord.data`) in `pointer.bytes`. */
export function dataStartAt({ bytes, view, at }: RecordPointer): number {
  return (
    at +
    HEADER +
    view.getUint16(at + ADDRESS_LENGTH.at, true) +
    ((bytes[at + INSERTER_LENGTH.at] ?? 0) & INSERTER_LENGTH.max)
  );
}

/** Returns the length of the server data (`ServerRecord.data`) in bytes; 0 if the server has never answered. */
export function dataLengthAt({ view, at }: RecordPointer): number {
  return view.getUint32(at + DATA_LENGTH.at, true) & DATA_LENGTH.max;
}

/**
 * Returns the length of the samples in the record, in bytes. They are the samples (probe results) of the current hour,
 * and come after the server data.
 */
export function openHourLengthAt({ bytes, at }: RecordPointer): number {
  return bytes[at + OPEN_HOUR_LENGTH.at] ?? 0;
}

/** Sets the time of the next probe of the server, in memory only. `time`: ms since the Unix epoch. */
export function setNextProbeAt({ view, at }: RecordPointer, time: number): void {
  view.setFloat64(at + NEXT_PROBE_AT.at, time, true);
}

/**
 * Forgets the average packet loss of a server, so that the packet loss of its next answer becomes the new average.
 * Called for each stored record that the core loads, because the stored average can be old.
 */
export function forgetLoss({ bytes, at }: RecordPointer): void {
  bytes[at + ANSWERS.at] = (bytes[at + ANSWERS.at] ?? 0) & ~(ANSWERS.max << ANSWERS.shift);
}
