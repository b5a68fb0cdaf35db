import { type ChannelOptions, credentials, Metadata } from '@grpc/grpc-js';
import { gsqV1 } from './descriptors.ts';
import type { AdminServiceClient } from './generated/gsq/v1/AdminService.ts';
import type { GameServiceClient } from './generated/gsq/v1/GameService.ts';
import type { ProbeServiceClient } from './generated/gsq/v1/ProbeService.ts';
import type { ServerServiceClient } from './generated/gsq/v1/ServerService.ts';

/** Metadata keys of a caller's credentials; the REST headers of the same names. */
export const credentialKeys = {
  token: 'x-api-token',
  tier: 'x-api-token-type',
  email: 'x-api-token-email',
} as const;

/** Metadata key of the shared secret of the internal port. */
export const INTERNAL_SECRET_KEY = 'x-gsq-internal-secret';

/** Keepalive notices a frozen peer; the backoff keeps reconnecting short; the cap leaves room for 1000 payloads. */
export const clientOptions: ChannelOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  // With HTTP/2's own 64 KiB an answer of a few hundred servers waits for the reader again and again.
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
};

/** Metadata of a call to the internal port. */
export function internalMetadata(secret: string | undefined): Metadata {
  const metadata = new Metadata();
  if (secret !== undefined) metadata.set(INTERNAL_SECRET_KEY, secret);
  return metadata;
}

/** Clients of every service, over one channel each, to `address` (`host:port`, IPv6 in brackets). */
export const clients = {
  game: (address: string): GameServiceClient =>
    new gsqV1.GameService(address, credentials.createInsecure(), clientOptions),
  server: (address: string): ServerServiceClient =>
    new gsqV1.ServerService(address, credentials.createInsecure(), clientOptions),
  probe: (address: string): ProbeServiceClient =>
    new gsqV1.ProbeService(address, credentials.createInsecure(), clientOptions),
  admin: (address: string): AdminServiceClient =>
    new gsqV1.AdminService(address, credentials.createInsecure(), clientOptions),
};
