import type { ServiceDefinition } from '@grpc/grpc-js';
import { ByteWriter } from '../codec/byte-writer.ts';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  FetchStreamRequestFields,
  type OutgoingFetchCall,
  writeFetchCall,
} from '../generated/codec/fetch.ts';

const identity = (message: Buffer): Buffer => message;

/**
 * gsq.v1.ServerService as its server registers it: FetchServers and FetchStream read their requests by generated code
 * and take answers that are written already. The rest is proto-loader's.
 */
export const serverServiceDefinition: ServiceDefinition = {
  ...gsqV1.ServerService.service,
  FetchServers: {
    ...gsqV1.ServerService.service.FetchServers,
    requestDeserialize: decodeFetchServersRequest,
    responseSerialize: identity,
  },
  FetchStream: {
    ...gsqV1.ServerService.service.FetchStream,
    requestDeserialize: (message: Buffer) => decodeFetchStreamRequest(message).calls,
    responseSerialize: identity,
  },
};

/** FetchStream as a client opens it: its messages are bytes both ways. */
export const fetchStreamMethod = {
  path: gsqV1.ServerService.service.FetchStream.path,
  serialize: identity,
  deserialize: identity,
};

// Every call is written from its first byte to its last in one go.
const encoder = new ByteWriter();

/** A FetchCall as a field of a FetchStreamRequest: such fields joined are a whole message. */
export function encodeFetchCall(call: OutgoingFetchCall): Buffer {
  encoder.length = 0;
  writeFetchCall(encoder, FetchStreamRequestFields.calls, call);
  return encoder.take();
}
