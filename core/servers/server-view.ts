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

/** All that an answer shows of a server, its data where it lies. One view may stand for many servers in turn. */
export interface ServerView {
  status: Status;
  label: Label;
  intervalMs: number;
  nextProbeAt: number;
  lastProbeAt: number;
  lastOnlineAt: number;
  reason: Reason;
  /** Holds the payload (`ServerRecord.data`) from `dataStart` to `dataEnd`; these are equal if it has never answered. */
  bytes: Buffer;
  /** The same memory. */
  view: DataView;
  dataStart: number;
  dataEnd: number;
  /** Holds the canonical address from `addressStart` to `addressEnd`. */
  addressBytes: Buffer;
  /** The same memory. */
  addressView: DataView;
  addressStart: number;
  addressEnd: number;
  /** Stands for the server in the store; -1 if the view shows something else than what is stored there. */
  slot: number;
}

/** A view to be filled. */
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

/** Makes a view show the record at a pointer, and holds as long as the pointer does. */
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

/** A record as a view. Field by field: with rest and spread it takes 7 µs instead of less than 1. */
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
