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
 * Writers of the messages of FetchServers and FetchStream (gsq/v1/server.proto) that are written piece by piece, because
 * an object of the whole would cost more than its bytes: bodies are rendered where they are sent from.
 */

/** Appends groups to a FetchServersRequest. */
export function writeGroups(writer: ByteWriter, groups: readonly ServerGroup[]): void {
  for (const group of groups) writeServerGroup(writer, FetchServersRequestFields.servers, group);
}

/** Appends the wait to a FetchServersRequest. */
export function writeWait(writer: ByteWriter, waitMs: number): void {
  writer.uintField(FetchServersRequestFields.waitMs, waitMs);
}

/** Begins a FetchReply as a field of a FetchStreamResponse; `writer.close` takes what this returns. */
export function openReply(writer: ByteWriter, id: number, allowances: readonly Allowance[]): number {
  const start = writer.open(FetchStreamResponseFields.replies);
  writer.uintField(FetchReplyFields.id, id);
  for (const allowance of allowances) writeAllowance(writer, FetchReplyFields.allowances, allowance);
  return start;
}

/** What accompanies a rendered body, as in RenderedFetch. */
export interface BodyNotes {
  readonly tag: Uint8Array;
  readonly gzipped: boolean;
}

/**
 * Writes the outcome `fetched`: the body that `render` appends, and the notes that it returns. If it returns undefined,
 * nothing is written and the result is false.
 */
export function writeFetched(writer: ByteWriter, render: () => BodyNotes | undefined): boolean {
  const before = writer.length;
  const start = writer.open(FetchReplyFields.fetched);
  const bodyStart = writer.open(RenderedFetchFields.body);
  const notes = render();
  if (!notes) {
    writer.length = before;
    return false;
  }
  writer.close(bodyStart);
  writer.uintField(RenderedFetchFields.gzipped, notes.gzipped ? 1 : 0);
  writer.bytesField(RenderedFetchFields.tag, notes.tag);
  writer.close(start);
  return true;
}

/** Writes the outcome `checked`. */
export function writeChecked(writer: ByteWriter): void {
  writer.close(writer.open(FetchReplyFields.checked));
}

/** Writes the outcome `error`. */
export function writeError(writer: ByteWriter, error: Status__Output): void {
  const start = writer.open(FetchReplyFields.error);
  writer.copy(googleRpc.Status.serialize(error));
  writer.close(start);
}
