import { Metadata } from '@grpc/grpc-js';

const prepared = new WeakMap<object, Metadata>();

/**
 * Returns the initial metadata of the reply to a call, to which a handler can add. If the handler of a unary method
 * sends no metadata itself, `Handlers` sends this metadata with the reply or the error.
 */
export function replyMetadata(call: object): Metadata {
  const metadata = prepared.get(call) ?? new Metadata();
  prepared.set(call, metadata);
  return metadata;
}

/** Returns the metadata of `replyMetadata`, or undefined if no handler has asked for it. */
export function preparedMetadata(call: object): Metadata | undefined {
  return prepared.get(call);
}
