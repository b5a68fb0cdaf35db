import type { ByteWriter } from '../codec/byte-writer.ts';
import { googleRpc } from '../descriptors.ts';
import {
  type Allowance,
  type CallAccount,
  FetchReplyFields,
  FetchServersRequestFields,
  FetchStreamResponseFields,
  RenderedFetchFields,
  writeAllowance,
  writeCallAccount,
  writeServerGroup,
} from '../generated/codec/fetch.ts';
import type { Status__Output } from '../generated/google/rpc/Status.ts';
import type { ServerGroup } from '../generated/gsq/v1/ServerGroup.ts';

/*
 * Functions that write the messages of FetchServers and FetchStream directly into the buffer that is sent. This is
 * faster than building a message object and encoding that object.
 */

/** Writes the field `servers` of a FetchServersRequest: the requested servers, grouped by game. */
export function writeGroups(writer: ByteWriter, groups: readonly ServerGroup[]): void {
  for (const group of groups) writeServerGroup(writer, FetchServersRequestFields.servers, group);
}

/**
 * Appends the field `wait_ms` to a FetchServersRequest. This is the longest time in milliseconds that the core waits
 * for the first probe of new servers.
 */
export function writeWait(writer: ByteWriter, waitMs: number): void {
  writer.uintField(FetchServersRequestFields.waitMs, waitMs);
}

/**
 * Begins a FetchReply in a FetchStreamResponse, and writes its fields `id` and `allowances` (what is left of the rate
 * limits). The caller writes the other fields, and then passes the returned value to `writer.closeField`.
 */
export function openReply(writer: ByteWriter, id: number, allowances: readonly Allowance[]): number {
  const start = writer.openField(FetchStreamResponseFields.replies);
  writer.uintField(FetchReplyFields.id, id);
  for (const allowance of allowances) writeAllowance(writer, FetchReplyFields.allowances, allowance);
  return start;
}

/** Properties of the body of a REST response: its entity tag, and whether it is compressed with gzip. */
export interface BodyNotes {
  readonly tag: Uint8Array;
  readonly gzipped: boolean;
}

/**
 * Writes the field `fetched` of a FetchReply: the result of a successful fetch. `render` must append the body of the
 * REST response to `writer`, or return undefined if there is no body. Without a body, `writeFetched` leaves `writer`
 * unchanged and returns false.
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

/**
 * Writes the field `checked` of a FetchReply. It answers a call with the action `CheckAccess` and means that the caller
 * is allowed to fetch. Calls with this action do not count against the quota of the caller.
 */
export function writeChecked(writer: ByteWriter): true {
  writer.closeField(writer.openField(FetchReplyFields.checked));
  return true;
}

/** Writes the field `error` of a FetchReply: the error with which the call failed. */
export function writeError(writer: ByteWriter, error: Status__Output): true {
  const start = writer.openField(FetchReplyFields.error);
  writer.copy(googleRpc.Status.serialize(error));
  writer.closeField(start);
  return true;
}

/**
 * Writes the field `account` of a FetchReply: data for the log of the process that sent the call, usually the gateway.
 * The data is the token id of the caller, and the numbers of requested, inserted and invalid servers.
 */
export function writeAccount(writer: ByteWriter, account: CallAccount): void {
  writeCallAccount(writer, FetchReplyFields.account, account);
}
