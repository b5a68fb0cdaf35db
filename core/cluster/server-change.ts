import type { ServerChange, ServerChange__Output } from '../../proto/generated/gsq/v1/ServerChange.ts';
import type { UnnumberedChange } from '../feed/change-feed.ts';
import { CorruptRecordError, encodeRecord } from '../servers/record-codec.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { decodeStored } from '../servers/stored-record.ts';

const NO_RECORD = Buffer.alloc(0);

/** A change of a server, in the form in which a core sends it to other cores. */
export type EncodedChange = Required<Pick<ServerChange, 'key' | 'fields'>> & {
  before: Buffer;
  after: Buffer;
};

/** Encodes a change of a server for other cores. The result contains copies of the records. */
export function encodeChange(key: string, { fields, before, after }: UnnumberedChange): EncodedChange {
  return { key, fields, before: encoded(before), after: encoded(after) };
}

/** Decodes a change of a server that another core has sent. Returns undefined if one of its records cannot be read. */
export function decodeChange({
  key,
  fields,
  before,
  after,
}: ServerChange__Output): UnnumberedChange | undefined {
  try {
    return { fields, before: decoded(key, before), after: decoded(key, after) };
  } catch (error) {
    if (error instanceof CorruptRecordError) return undefined;
    throw error;
  }
}

function encoded(record: ServerRecord | undefined): Buffer {
  return record ? encodeRecord(record) : NO_RECORD;
}

function decoded(key: string, bytes: Buffer): ServerRecord | undefined {
  return bytes.length === 0 ? undefined : decodeStored(key, bytes);
}
