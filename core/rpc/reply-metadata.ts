import { Metadata } from '@grpc/grpc-js';

const prepared = new WeakMap<object, Metadata>();

/**
 * Returns the initial metadata of the reply to a call. A handler can add entries to it. `Handlers` sends the metadata
 * with the reply of a unary method, and with every error. The handler of a stream must call `sendReplyMetadata`.
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

/**
 * Sends the metadata that `replyMetadata` created for a call, if there is any. Does nothing if the call has already
 * sent its initial metadata.
 */
export function sendReplyMetadata(call: { sendMetadata(metadata: Metadata): void }): void {
  const metadata = preparedMetadata(call);
  if (metadata) call.sendMetadata(metadata);
}
