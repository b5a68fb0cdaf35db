import { WireReader } from './wire-reader.ts';

/**
 * Returns a reader of a nested message. Protobuf allows an encoder to split such a message into several fields with
 * the same `tag`, so their contents are joined. Throws WireError if the outer message is not valid.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
