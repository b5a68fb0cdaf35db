import { WireReader } from './wire-reader.ts';

/**
 * The content of all LEN fields with this tag in the message from `start` to `end`, joined: protobuf merges a message
 * that comes in several fields so. The reader stands at the whole. Throws WireError.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
