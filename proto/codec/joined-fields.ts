import { WireReader } from './wire-reader.ts';

/**
 * Reads a nested message that is split into several fields with the same `tag`, as protobuf allows. Throws WireError if
 * the outer message is not valid.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
