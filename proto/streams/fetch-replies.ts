import type { ByteWriter } from '../codec/byte-writer.ts';
import { googleRpc } from '../descriptors.ts';
import {
  type Allowance,
  FetchReplyFields,
  FetchServersRequestFields,
  FetchStreamResponseFields,
  RenderedFetchFields,
  writeAllowance,
  writeServerGroup,
} from '../generated/codec/fetch.ts';
import type { Status__Output } from '../generated/google/rpc/Status.ts';
import type { ServerGroup } from '../generated/gsq/v1/ServerGroup.ts';

/*
 * Functions that write the messages of FetchServers and FetchStream (gsq/v1/server.proto) field by field. They write
 * directly into the buffer that is sent, including the body of the REST response. Building a message object first would
 * cost more than writing the bytes.
 */

/** Appends server groups to a FetchServersRequest. */
export function writeGroups(writer: ByteWriter, groups: readonly ServerGroup[]): void {
  for (const group of groups) writeServerGroup(writer, FetchServersRequestFields.servers, group);
}

/** Appends the maximum wait to a FetchServersRequest. */
export function writeWait(writer: ByteWriter, waitMs: number): void {
  writer.uintField(FetchServersRequestFields.waitMs, waitMs);
}

/**
 * Starts a FetchReply as a field of a FetchStreamResponse. Pass the result to `writer.closeField` at the end of the
 * reply.
 */
export function openReply(writer: ByteWriter, id: number, allowances: readonly Allowance[]): number {
  const start = writer.openField(FetchStreamResponseFields.replies);
  writer.uintField(FetchReplyFields.id, id);
  for (const allowance of allowances) writeAllowance(writer, FetchReplyFields.allowances, allowance);
  return start;
}

/** Properties of the body that `render` appended. They have the same meaning as in RenderedFetch (server.proto). */
export interface BodyNotes {
  readonly tag: Uint8Array;
  readonly gzipped: boolean;
}

/**
 * Writes the outcome `fetched` of a FetchReply. `render` appends the body and returns its properties. If `render`
 * returns undefined, nothing is written and the result is false.
 */
export function writeFetched(writer: ByteWriter, render: () => BodyNotes | undefined): boolean {
  const before = writer.length;
  const start = writer.openField(FetchReplyFields.fetched);
  const bodyStart = writer.openField(RenderedFetchFields.body);
  const notes = render();
  if (!notes) {
    writer.length = before;
    return false;
  }
  writer.closeField(bodyStart);
  writer.uintField(RenderedFetchFields.gzipped, notes.gzipped ? 1 : 0);
  writer.bytesField(RenderedFetchFields.tag, notes.tag);
  writer.closeField(start);
  return true;
}

/** Writes the outcome `checked` of a FetchReply: the caller passed the access check, which charges no request. */
export function writeChecked(writer: ByteWriter): void {
  writer.closeField(writer.openField(FetchReplyFields.checked));
}

/** Writes the outcome `error` of a FetchReply. */
export function writeError(writer: ByteWriter, error: Status__Output): void {
  const start = writer.openField(FetchReplyFields.error);
  writer.copy(googleRpc.Status.serialize(error));
  writer.closeField(start);
}
