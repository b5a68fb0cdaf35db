import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type GrpcObject, loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ProtoGrpcType as AdminTypes } from './generated/admin.ts';
import type { ProtoGrpcType as ClusterTypes } from './generated/cluster.ts';
import type { ProtoGrpcType as ErrorTypes } from './generated/error_details.ts';
import type { ProtoGrpcType as GameTypes } from './generated/game.ts';
import type { ProtoGrpcType as HealthTypes } from './generated/health.ts';
import type { ProtoGrpcType as HistoryTypes } from './generated/history.ts';
import type { ProtoGrpcType as NotifyTypes } from './generated/notify.ts';
import type { ProtoGrpcType as ProbeTypes } from './generated/probe.ts';
import type { ProtoGrpcType as ReflectionTypes } from './generated/reflection.ts';
import type { ProtoGrpcType as ServerTypes } from './generated/server.ts';
import type { ProtoGrpcType as WebhookTypes } from './generated/webhook.ts';

const root = new URL('./', import.meta.url);

/**
 * The .proto files, compiled by `npm run proto` to a google.protobuf.FileDescriptorSet (gsq.binpb). The gRPC reflection
 * service sends it, and the gateway reads its routes from it.
 */
export const descriptorImage: Buffer = readFileSync(new URL('gsq.binpb', root));

// Loads the .proto files. With their compiled form, gsq.binpb, proto-loader would decode map fields as lists. The
// options of `loadSync` must equal the options of `proto-loader-gen-types` in scripts/generate-proto.sh.
const packageDefinition = loadSync(
  [
    'gsq/v1/game.proto',
    'gsq/v1/server.proto',
    'gsq/v1/history.proto',
    'gsq/v1/webhook.proto',
    'gsq/v1/notify.proto',
    'gsq/v1/probe.proto',
    'gsq/v1/admin.proto',
    'gsq/v1/cluster.proto',
    'google/rpc/error_details.proto',
    'grpc/health/v1/health.proto',
    'grpc/reflection/v1/reflection.proto',
  ],
  { includeDirs: [fileURLToPath(root)], longs: Number, enums: String, defaults: true, oneofs: true },
);

type Loaded = GrpcObject &
  GameTypes &
  ServerTypes &
  HistoryTypes &
  WebhookTypes &
  NotifyTypes &
  ProbeTypes &
  AdminTypes &
  ClusterTypes &
  ErrorTypes &
  HealthTypes &
  ReflectionTypes;

const loaded = loadPackageDefinition(packageDefinition) as Loaded;

/** The gRPC services and protobuf messages of package gsq.v1. */
export const gsqV1 = loaded.gsq.v1;

/** Messages of package google.rpc: Status and its details, such as ErrorInfo. */
export const googleRpc = loaded.google.rpc;

/** Messages and service of package grpc.health.v1 (grpc/health/v1/health.proto). */
export const grpcHealthV1 = loaded.grpc.health.v1;

/** Messages and service of package grpc.reflection.v1 (grpc/reflection/v1/reflection.proto). */
export const grpcReflectionV1 = loaded.grpc.reflection.v1;
