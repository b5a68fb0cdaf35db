import { WireReader } from './wire-reader.ts';

/**
 * Joins a nested message that is split into several LEN fields with the same `tag`. The fields are in the message from
 * `start` to `end`. Protobuf allows this, and treats the concatenated contents as one message. Returns a reader of the
 * joined message. Throws WireError if the bytes from `start` to `end` are not a valid message.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
