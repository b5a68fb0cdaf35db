import { WireReader } from './wire-reader.ts';

/**
 * Concatenates the contents of all LEN fields with this tag in the message from `start` to `end`. Protobuf defines this
 * for a message that is split into several fields. Returns a reader of the result. Throws WireError if the bytes are
 * not a valid message.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
