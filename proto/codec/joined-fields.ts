import { WireReader } from './wire-reader.ts';

/**
 * Reads a nested message that was sent in several parts, which protobuf allows. Each part is a LEN field with this
 * `tag` in the outer message, which is in `bytes` from `start` to `end`. The concatenated parts are the nested message.
 * Throws WireError if the outer message is not valid.
 */
export function joinedFields(bytes: Buffer, start: number, end: number, tag: number): WireReader {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) if (reader.tag === tag) parts.push(bytes.subarray(reader.start, reader.end));
  return new WireReader(Buffer.concat(parts));
}
