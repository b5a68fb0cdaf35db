import { Metadata } from '@grpc/grpc-js';

const prepared = new WeakMap<object, Metadata>();

/**
 * Returns the initial metadata of the reply to a call. Handlers can add entries to it. If the handler of a unary method
 * does not send the metadata itself, `Handlers` sends it with the reply or the error.
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
