import { WireReader } from './wire-reader.ts';

/**
 * Reads a nested message that was sent in several parts. Each part is a LEN field with the same `tag`, and all are in
 * `bytes` from `start` to `end`. Protobuf allows such parts, and treats them as one concatenated message. Throws
 * WireError if the bytes from `start` to `end` are not a valid message.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
