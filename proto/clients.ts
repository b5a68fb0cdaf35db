import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { type ChannelCredentials, type ChannelOptions, credentials, Metadata } from '@grpc/grpc-js';
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

/** Methods without side effects, which may be repeated. */
const REPEATABLE = [
  { service: 'gsq.v1.GameService' },
  ...['ListTokens', 'GetToken', 'ListServers', 'GetStats'].map(method => ({
    service: 'gsq.v1.AdminService',
    method,
  })),
];
/** Four attempts within at most 1.3 s: enough for a broken connection, and short if nobody listens. */
const RETRIES = {
  maxAttempts: 4,
  initialBackoff: '0.1s',
  maxBackoff: '1s',
  backoffMultiplier: 3,
  retryableStatusCodes: ['UNAVAILABLE'],
};

/**
 * Keepalive detects a frozen peer within two seconds, the backoff keeps reconnects short, and the size limit
 * allows 1000 payloads.
 */
export const clientOptions: ChannelOptions = {
  'grpc.keepalive_time_ms': 1_000,
  'grpc.keepalive_timeout_ms': 1_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.service_config': JSON.stringify({ methodConfig: [{ name: REPEATABLE, retryPolicy: RETRIES }] }),
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  // With HTTP/2's default of 64 KiB an answer of a few hundred servers waits for the reader repeatedly.
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
};

/** Metadata of a call to the internal port. */
export function internalMetadata(secret: string): Metadata {
  const metadata = new Metadata();
  metadata.set(INTERNAL_SECRET_KEY, secret);
  return metadata;
}

/** Credentials and options that secure a channel. */
export interface ChannelSecurity {
  credentials: ChannelCredentials;
  options: ChannelOptions;
}

/** A channel without encryption, on which neither side proves its identity. */
export const insecure: ChannelSecurity = { credentials: credentials.createInsecure(), options: {} };

/**
 * Mutual TLS: each side shows a certificate of `authority`, and the server's is for `host`, an IP address
 * without brackets or a name. All values are PEM. Throws if the key does not belong to the certificate.
 * Clients with the same security share connections.
 */
export function mutualTls(
  host: string,
  { certificate, key, authority }: { certificate: Buffer; key: Buffer; authority: Buffer },
): ChannelSecurity {
  const context = createSecureContext({ cert: certificate, key, ca: authority, minVersion: 'TLSv1.2' });
  return {
    credentials: credentials.createFromSecureContext(context, {
      checkServerIdentity: (_name, shown) => checkServerIdentity(host, shown),
    }),
    // Sends a dummy server name, because TLS forbids IP addresses as names (RFC 6066) and grpc-js would send
    // one.
    options: isIP(host) ? { 'grpc.ssl_target_name_override': 'core.invalid' } : {},
  };
}

function channel(address: string, security: ChannelSecurity): [string, ChannelCredentials, ChannelOptions] {
  return [address, security.credentials, { ...clientOptions, ...security.options }];
}

/** Clients of every service, over one channel each, to `address` (`host:port`, IPv6 in brackets). */
export const clients = {
  game: (address: string, security = insecure): GameServiceClient =>
    new gsqV1.GameService(...channel(address, security)),
  server: (address: string, security = insecure): ServerServiceClient =>
    new gsqV1.ServerService(...channel(address, security)),
  probe: (address: string, security = insecure): ProbeServiceClient =>
    new gsqV1.ProbeService(...channel(address, security)),
  admin: (address: string, security = insecure): AdminServiceClient =>
    new gsqV1.AdminService(...channel(address, security)),
};
