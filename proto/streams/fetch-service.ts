import type { ServiceDefinition } from '@grpc/grpc-js';
import { ByteWriter } from '../codec/byte-writer.ts';
import { WireReader } from '../codec/wire-reader.ts';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  FetchCallFields,
  FetchStreamRequestFields,
  type OutgoingFetchCall,
  writeFetchCall,
} from '../generated/codec/fetch.ts';

const identity = (message: Buffer): Buffer => message;

/**
 * gRPC definition of gsq.v1.ServerService for the core. Generated code decodes the requests of the three fetch methods.
 * The handlers of FetchServers and FetchStream return encoded replies, so grpc-js sends these replies unchanged.
 */
export const serverServiceDefinition: ServiceDefinition = {
  ...gsqV1.ServerService.service,
  FetchServers: {
    ...gsqV1.ServerService.service.FetchServers,
    requestDeserialize: decodeFetchServersRequest,
    responseSerialize: identity,
  },
  FetchServersJson: {
    ...gsqV1.ServerService.service.FetchServersJson,
    requestDeserialize: decodeFetchServersRequest,
  },
  FetchStream: {
    ...gsqV1.ServerService.service.FetchStream,
    requestDeserialize: (message: Buffer) => decodeFetchStreamRequest(message).calls,
    responseSerialize: identity,
  },
};

/** gRPC definition of the method FetchStream, for a client. Requests and responses are passed as encoded bytes. */
export const fetchStreamMethod = {
  path: gsqV1.ServerService.service.FetchStream.path,
  serialize: identity,
  deserialize: identity,
};

// All calls share one protobuf writer. This is safe, because encoding a call is synchronous.
const encoder = new ByteWriter();

/**
 * Encodes one FetchCall as a FetchStreamRequest. Several such requests, concatenated, form one request with several
 * calls.
 */
export function encodeFetchCall(call: OutgoingFetchCall): Buffer {
  encoder.length = 0;
  writeFetchCall(encoder, FetchStreamRequestFields.calls, call);
  return encoder.takeBytes();
}

/**
 * Returns a copy of an encoded FetchCall, with which the call can be sent again. Sets the field `held` in the copy, so
 * that the core does not count the call against the burst limit a second time. `id` replaces the id of the call. The
 * new values are appended, because a protobuf decoder uses the last value of a field.
 */
export function withHeld(message: Buffer, id?: number): Buffer {
  const call = new WireReader(message);
  call.next();
  encoder.length = 0;
  const start = encoder.openField(FetchStreamRequestFields.calls);
  encoder.copyRange(message, call.start, call.end);
  if (id !== undefined) encoder.uintField(FetchCallFields.id, id);
  encoder.uintField(FetchCallFields.held, 1);
  encoder.closeField(start);
  return encoder.takeBytes();
}
