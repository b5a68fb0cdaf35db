import { HEADER, IN_MEMORY } from '../../../core/servers/record-layout.ts';
import type { RecordPointer } from '../../../core/servers/record-pointer.ts';

/**
 * Copies a stored record into memory as the core does: header, address, rest of the record. Fills the bytes around it
 * with 0xff, so that a read beyond the record returns wrong data.
 */
export function inMemory(address: string, stored: Buffer): RecordPointer {
  const at = 24;
  const memory = new ArrayBuffer(at + stored.length + address.length + 8);
  const bytes = Buffer.from(memory);
  bytes.fill(0xff);
  stored.copy(bytes, at, 0, HEADER);
  bytes.writeUInt16LE(address.length, at + IN_MEMORY);
  bytes.fill(0xff, at + IN_MEMORY + 2, at + HEADER);
  bytes.write(address, at + HEADER);
  stored.copy(bytes, at + HEADER + address.length, HEADER);
  return { bytes, view: new DataView(memory), at };
}
