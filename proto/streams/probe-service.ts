import type { ServiceDefinition } from '@grpc/grpc-js';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeSessionRequest,
  decodeSessionResponse,
  encodeSessionRequest,
  encodeSessionResponse,
} from '../generated/codec/probe.ts';

const { Session } = gsqV1.ProbeService.service;

/** gsq.v1.ProbeService as its server registers it: generated code reads reports and writes leases. */
export const probeServiceDefinition: ServiceDefinition = {
  Session: { ...Session, requestDeserialize: decodeSessionRequest, responseSerialize: encodeSessionResponse },
};

/** Session as a client opens it. */
export const sessionMethod = {
  path: Session.path,
  serialize: encodeSessionRequest,
  deserialize: decodeSessionResponse,
};
