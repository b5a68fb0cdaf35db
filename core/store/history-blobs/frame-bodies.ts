import { CUT_SHORT, encodeVarint32, TOO_LONG, Varint } from '../../../runtime/varint.ts';
import type { IncidentEvent } from '../../history/history-store.ts';
import { type Reason, reasons } from '../../servers/server-record.ts';

const OFFSET_BYTES = 4;
const EVENT_BYTES = OFFSET_BYTES + 1;
const TIME_BYTES = 6;
const varint = new Varint();

/**
 * Encodes the history of one server for a blob. Each slot contains the samples of one hour, or the figures for the
 * quarter hours of one day. `slot`: index of this hour or day in the blob.
 */
export function encodeSlots(slots: Iterable<readonly [slot: number, content: Buffer]>): Buffer {
  const parts: Buffer[] = [];
  for (const [slot, content] of slots) parts.push(Buffer.of(slot), encodeVarint32(content.length), content);
  return Buffer.concat(parts);
}

/**
 * Decodes a result of `encodeSlots`: calls `visit` with the data of each hour or day. Stops at the first damaged one.
 */
export function visitSlots(body: Buffer, visit: (slot: number, content: Buffer) => void): void {
  for (let at = 0; at < body.length; ) {
    const contentAt = varint.read(body, at + 1, body.length, 5);
    const end = contentAt + varint.uint32;
    if (contentAt === CUT_SHORT || contentAt === TOO_LONG || end > body.length) return;
    visit(body[at] ?? 0, body.subarray(contentAt, end));
    at = end;
  }
}

/**
 * Encodes the incident events of a server for a history blob. `from`: start of the month, Unix ms. Each event stores
 * its time since `from` in 4 bytes.
 */
export function encodeEvents(events: readonly IncidentEvent[], from: number): Buffer {
  const body = Buffer.alloc(events.length * EVENT_BYTES);
  for (const [i, { at, reason }] of events.entries()) {
    body.writeUInt32BE(at - from, i * EVENT_BYTES);
    body.writeUInt8(codeOf(reason), i * EVENT_BYTES + OFFSET_BYTES);
  }
  return body;
}

/** Decodes the incident events of a server, which `encodeEvents` has encoded. */
export function decodeEvents(body: Buffer, from: number): IncidentEvent[] {
  const events: IncidentEvent[] = [];
  for (let at = 0; at + EVENT_BYTES <= body.length; at += EVENT_BYTES) {
    const code = body.readUInt8(at + OFFSET_BYTES);
    const reason = code === 0 ? undefined : (reasons[code - 1] ?? 'no_reply');
    events.push({ at: from + body.readUInt32BE(at), reason });
  }
  return events;
}

function codeOf(reason: Reason | undefined): number {
  return reason === undefined ? 0 : reasons.indexOf(reason) + 1;
}

/** Encodes the time at which a server was removed (Unix ms) as the body of a frame (entry of a history blob). */
export function encodeRemoval(at: number): Buffer {
  const body = Buffer.alloc(TIME_BYTES);
  body.writeUIntBE(at, 0, TIME_BYTES);
  return body;
}

/** Decodes the time at which a server was removed (Unix ms), which `encodeRemoval` has encoded. */
export function decodeRemoval(body: Buffer): number {
  return body.length === TIME_BYTES ? body.readUIntBE(0, TIME_BYTES) : 0;
}
