import { Metadata } from '@grpc/grpc-js';
import { ByteWriter } from '../codec/byte-writer.ts';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeJsonStreamResponse,
  type JsonCall,
  JsonCallFields,
  JsonReplyFields,
  JsonStreamRequestFields,
  JsonStreamResponseFields,
  type MetadataEntry,
  writeMetadataEntry,
} from '../generated/codec/json.ts';

const identity = (message: Buffer): Buffer => message;

/** gRPC definition of the method JsonStream, for a client. Requests are passed as encoded bytes. */
export const jsonStreamMethod = {
  path: gsqV1.ClusterService.service.JsonStream.path,
  serialize: identity,
  deserialize: decodeJsonStreamResponse,
};

/** A reply to a call on a JsonStream, as the core sends it. */
export interface OutgoingJsonReply {
  id: number;
  /** The initial metadata of the reply. */
  metadata: Metadata;
  /** The data of the google.api.HttpBody. Empty if the call failed. */
  body: Uint8Array;
  /** The encoded google.rpc.Status of a failed call. Undefined if the call succeeded. */
  error: Uint8Array | undefined;
}

// All messages share one protobuf writer. This is safe, because encoding a message is synchronous.
const encoder = new ByteWriter();

/** Encodes one call as a JsonStreamRequest. */
export function encodeJsonCall({ id, path, request, metadata, timeoutMs }: JsonCall): Buffer {
  encoder.length = 0;
  const start = encoder.openField(JsonStreamRequestFields.calls);
  encoder.uintField(JsonCallFields.id, id);
  encoder.textField(JsonCallFields.path, path);
  encoder.bytesField(JsonCallFields.request, request);
  for (const entry of metadata) writeMetadataEntry(encoder, JsonCallFields.metadata, entry);
  encoder.uintField(JsonCallFields.timeoutMs, timeoutMs);
  encoder.closeField(start);
  return encoder.takeBytes();
}

/** Encodes the cancellation of one call as a JsonStreamRequest. */
export function encodeCancellation(id: number): Buffer {
  encoder.length = 0;
  encoder.packedField(JsonStreamRequestFields.cancelled, [id]);
  return encoder.takeBytes();
}

/** Encodes one reply as a JsonStreamResponse. */
export function encodeJsonReply({ id, metadata, body, error }: OutgoingJsonReply): Buffer {
  encoder.length = 0;
  const start = encoder.openField(JsonStreamResponseFields.replies);
  encoder.uintField(JsonReplyFields.id, id);
  for (const entry of entriesOf(metadata)) writeMetadataEntry(encoder, JsonReplyFields.metadata, entry);
  if (body.length > 0) encoder.bytesField(JsonReplyFields.body, body);
  if (error) encoder.bytesField(JsonReplyFields.error, error);
  encoder.closeField(start);
  return encoder.takeBytes();
}

/** Encodes the reply to a call that the core has not begun, as a JsonStreamResponse. */
export function encodeNotBegun(id: number): Buffer {
  encoder.length = 0;
  const start = encoder.openField(JsonStreamResponseFields.replies);
  encoder.uintField(JsonReplyFields.id, id);
  encoder.uintField(JsonReplyFields.notBegun, 1);
  encoder.closeField(start);
  return encoder.takeBytes();
}

/** Returns gRPC metadata as the entries of a message. Leaves out binary values. */
export function entriesOf(metadata: Metadata): MetadataEntry[] {
  const entries: MetadataEntry[] = [];
  for (const key of Object.keys(metadata.getMap()))
    for (const value of metadata.get(key)) if (typeof value === 'string') entries.push({ key, value });
  return entries;
}

/** Returns the entries of a message as gRPC metadata. Throws an Error if a key or a value is not valid there. */
export function metadataOf(entries: readonly MetadataEntry[]): Metadata {
  const metadata = new Metadata();
  for (const { key, value } of entries) metadata.add(key, value);
  return metadata;
}
