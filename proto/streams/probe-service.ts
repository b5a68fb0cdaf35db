import type { ServiceDefinition } from '@grpc/grpc-js';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeSessionRequest,
  decodeSessionResponse,
  encodeSessionRequest,
  encodeSessionResponse,
} from '../generated/codec/probe.ts';

const { Session } = gsqV1.ProbeService.service;

/**
 * The gRPC definition of gsq.v1.ProbeService for the core. Generated code decodes the requests and encodes the
 * responses.
 */
export const probeServiceDefinition: ServiceDefinition = {
  Session: { ...Session, requestDeserialize: decodeSessionRequest, responseSerialize: encodeSessionResponse },
};

/** gRPC definition of the method Session of gsq.v1.ProbeService, for a client. */
export const sessionMethod = {
  path: Session.path,
  serialize: encodeSessionRequest,
  deserialize: decodeSessionResponse,
};
