import {
  addressLengthAt,
  addressStartAt,
  dataLengthAt,
  dataStartAt,
  intervalMsAt,
  labelAt,
  lastOnlineAtOf,
  lastProbeAtOf,
  nextProbeAtOf,
  type RecordPointer,
  reasonAt,
  slotAt,
  statusAt,
} from './record-pointer.ts';
import type { Label, Reason, ServerRecord, Status } from './server-record.ts';

/**
 * All data about one server that an answer shows. The payload is not copied: `bytes` is memory of the store. To save
 * time, the same view object can be filled with many servers, one after the other.
 */
export interface ServerView {
  status: Status;
  label: Label;
  intervalMs: number;
  nextProbeAt: number;
  lastProbeAt: number;
  lastOnlineAt: number;
  reason: Reason;
  /**
   * Memory that contains the payload (`ServerRecord.data`) from `dataStart` to `dataEnd`. The two offsets are equal if
   * the server never answered.
   */
  bytes: Buffer;
  /** DataView of the same memory as `bytes`. */
  view: DataView;
  dataStart: number;
  dataEnd: number;
  /** Memory that contains the canonical address from `addressStart` to `addressEnd`. */
  addressBytes: Buffer;
  /** `addressBytes` as a DataView (the same memory). */
  addressView: DataView;
  addressStart: number;
  addressEnd: number;
  /**
   * Index of the server in the server table. It is also the key of the server's cached JSON. It is -1 if the answer
   * must not use the cached JSON, for example because the answer shows a different status.
   */
  slot: number;
}

/** Creates a `ServerView` that shows no server yet. `showPointer` can fill it with the data of a server. */
export function emptyView(): ServerView {
  const bytes = Buffer.alloc(0);
  const view = memoryOf(bytes);
  return {
    status: 'pending',
    label: 'none',
    intervalMs: 0,
    nextProbeAt: 0,
    lastProbeAt: 0,
    lastOnlineAt: 0,
    reason: 'unprobed',
    bytes,
    view,
    dataStart: 0,
    dataEnd: 0,
    addressBytes: bytes,
    addressView: view,
    addressStart: 0,
    addressEnd: 0,
    slot: -1,
  };
}

/**
 * Fills a view (an object with the fields of a server record) with the values of the record at a pointer. The view is
 * valid as long as the pointer is valid.
 */
export function showPointer(view: ServerView, pointer: RecordPointer): void {
  view.status = statusAt(pointer);
  view.label = labelAt(pointer);
  view.intervalMs = intervalMsAt(pointer);
  view.nextProbeAt = nextProbeAtOf(pointer);
  view.lastProbeAt = lastProbeAtOf(pointer);
  view.lastOnlineAt = lastOnlineAtOf(pointer);
  view.reason = reasonAt(pointer);
  view.bytes = pointer.bytes;
  view.view = pointer.view;
  view.dataStart = dataStartAt(pointer);
  view.dataEnd = view.dataStart + dataLengthAt(pointer);
  view.addressBytes = pointer.bytes;
  view.addressView = pointer.view;
  view.addressStart = addressStartAt(pointer);
  view.addressEnd = view.addressStart + addressLengthAt(pointer);
  view.slot = slotAt(pointer);
}

/**
 * Returns a `ServerView` of a record. Copying the fields one by one takes less than 1 µs; an object spread takes 7 µs.
 */
export function viewOf(record: ServerRecord): ServerView {
  const { data } = record;
  const addressBytes = Buffer.from(record.address);
  return {
    status: record.status,
    label: record.label,
    intervalMs: record.intervalMs,
    nextProbeAt: record.nextProbeAt,
    lastProbeAt: record.lastProbeAt,
    lastOnlineAt: record.lastOnlineAt,
    reason: record.reason,
    bytes: data,
    view: memoryOf(data),
    dataStart: 0,
    dataEnd: data.length,
    addressBytes,
    addressView: memoryOf(addressBytes),
    addressStart: 0,
    addressEnd: addressBytes.length,
    slot: -1,
  };
}

function memoryOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
