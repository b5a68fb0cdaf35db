import type { ServiceDefinition } from '@grpc/grpc-js';
import { decodeFetchCalls, decodeFetchRequest } from './codec/fetch-messages.ts';
import { gsqV1 } from './descriptors.ts';

const identity = (message: Buffer): Buffer => message;

/**
 * gsq.v1.ServerService as its server registers it: FetchServers and FetchStream read their requests in place and take
 * answers that are written already; everything else is proto-loader's.
 */
export const serverServiceDefinition: ServiceDefinition = {
  ...gsqV1.ServerService.service,
  FetchServers: {
    ...gsqV1.ServerService.service.FetchServers,
    requestDeserialize: (message: Buffer) => decodeFetchRequest(message),
    responseSerialize: identity,
  },
  FetchStream: {
    ...gsqV1.ServerService.service.FetchStream,
    requestDeserialize: decodeFetchCalls,
    responseSerialize: identity,
  },
};

/** FetchStream as a client opens it: its messages are bytes both ways. */
export const fetchStreamMethod = {
  path: gsqV1.ServerService.service.FetchStream.path,
  serialize: identity,
  deserialize: identity,
};
