import { Metadata } from '@grpc/grpc-js';

const prepared = new WeakMap<object, Metadata>();

/**
 * Returns the initial metadata of the reply to a call. A handler can add entries to it. The handler of a unary method
 * need not send the metadata, because `Handlers` sends it with the reply or the error.
 */
export function replyMetadata(call: object): Metadata {
  const metadata = prepared.get(call) ?? new Metadata();
  prepared.set(call, metadata);
  return metadata;
}

/**
 * Returns the metadata that `replyMetadata` created for a call. Returns undefined if no handler has called
 * `replyMetadata`.
 */
export function preparedMetadata(call: object): Metadata | undefined {
  return prepared.get(call);
}
