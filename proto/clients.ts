import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { type ChannelCredentials, type ChannelOptions, Client, credentials, Metadata } from '@grpc/grpc-js';
import { gsqV1 } from './descriptors.ts';
import type { AdminServiceClient } from './generated/gsq/v1/AdminService.ts';
import type { ClusterServiceClient } from './generated/gsq/v1/ClusterService.ts';
import type { GameServiceClient } from './generated/gsq/v1/GameService.ts';
import type { HistoryServiceClient } from './generated/gsq/v1/HistoryService.ts';
import type { NotifyServiceClient } from './generated/gsq/v1/NotifyService.ts';
import type { ProbeServiceClient } from './generated/gsq/v1/ProbeService.ts';
import type { ServerServiceClient } from './generated/gsq/v1/ServerService.ts';
import type { WebhookServiceClient } from './generated/gsq/v1/WebhookService.ts';

/** Metadata keys of a caller's credentials. The REST headers have the same names. */
export const credentialKeys = {
  token: 'x-api-token',
  tier: 'x-api-token-type',
  email: 'x-api-token-email',
} as const;

/**
 * True if a call contains credentials, even wrong ones. The gateway need not check such a call for DNS rebinding,
 * because the core refuses wrong credentials.
 */
export function hasCredentials({ token, tier, email }: Record<keyof typeof credentialKeys, string>): boolean {
  return token !== '' || tier !== '' || email !== '';
}

/** Metadata key of the shared secret of the internal port. */
export const INTERNAL_SECRET_KEY = 'x-gsq-internal-secret';

/**
 * Metadata keys of the operator who calls AdminService: user name and machine name. The core cannot verify them,
 * because all operators have the same shared secret.
 */
export const operatorKeys = { user: 'x-gsq-operator-user', host: 'x-gsq-operator-host' } as const;

/**
 * Converts the name of a user or a machine for metadata and logs. Removes the first `@` and all text after it, because
 * logs must not contain e-mail addresses. The result has at most 64 characters.
 */
export function operatorName(name: string): string {
  return name
    .slice(0, 1024)
    .replace(/@.*$/s, '')
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 64);
}

/**
 * Metadata key of the link id, a random id that a gateway sends on all its FetchStreams. With it, the core recognises
 * repeated calls: it counts calls with the same link id and call id only once against the quota.
 */
export const LINK_ID_KEY = 'x-gsq-link-id';

/**
 * Metadata keys with which a gateway describes its caller to the core. The core reads them only on the internal port.
 * There, a call without `address` counts as a call of an operator.
 */
export const callerKeys = {
  /** Metadata key of the caller's IP address. */
  address: 'x-gsq-caller-address',
  /** Metadata key of the host of the caller's Origin or Referer header. */
  domain: 'x-gsq-caller-domain',
  /**
   * Metadata key for callers that perhaps connect through a proxy. Many such callers can have the same IP address. A
   * core sets this key when it passes a call of such a caller on to the lead, the core that writes tokens and webhooks.
   */
  proxied: 'x-gsq-caller-proxied',
  /**
   * Metadata key of a repeated call. A gateway sets it if a core may already have counted an earlier call for the same
   * request or event stream. The core does not count the repeated call against the quota.
   */
  repeated: 'x-gsq-repeated',
} as const;

/**
 * Metadata key of a call that a core has passed on to the lead (the core that writes tokens and webhooks). Any other
 * core refuses such a call, so that no call is passed on in a loop.
 */
export const PASSED_ON_KEY = 'x-gsq-passed-on';

/**
 * Keys of the initial metadata that a core sends to a gateway. Values: the id of the caller's token, and what is left
 * of each rate limit, as `policy;limit;remaining;window;reset` (times in seconds).
 */
export const accountKeys = { tokenId: 'x-gsq-token-id', allowance: 'x-gsq-allowance' } as const;

/**
 * Metadata key for the encoding of a JSON answer on the internal port. A gateway sends `gzip` or `identity`. A core
 * returns `gzip` if it compressed the answer.
 */
export const ANSWER_ENCODING_KEY = 'x-gsq-answer-encoding';

/** gRPC services and methods without side effects. A client can repeat a failed call of these methods. */
const REPEATABLE = [
  { service: 'gsq.v1.GameService' },
  { service: 'gsq.v1.HistoryService' },
  ...[
    'GetServer',
    'GetServerJson',
    'ListServers',
    'ListServersJson',
    'GetSummary',
    'GetSummaryJson',
    'GetStatus',
    'GetStatusJson',
  ].map(method => ({ service: 'gsq.v1.ServerService', method })),
  ...['ListWebhooks', 'GetWebhook', 'ListDeliveries']
    .flatMap(method => [method, `${method}Json`])
    .map(method => ({ service: 'gsq.v1.WebhookService', method })),
  ...['ListTokens', 'GetToken', 'CheckServers', 'ListServers', 'GetStats'].map(method => ({
    service: 'gsq.v1.AdminService',
    method,
  })),
];

/** True if a client can repeat a failed call of a method, because the method has no side effects. */
export function isRepeatable(service: string, method: string): boolean {
  return REPEATABLE.some(
    entry => entry.service === service && (!('method' in entry) || entry.method === method),
  );
}

/**
 * Retry policy of the gRPC clients for methods without side effects: four attempts within at most 1.3 s. With this
 * policy, a call survives a broken connection, and a call to a port without a server fails soon.
 */
const RETRIES = {
  maxAttempts: 4,
  initialBackoff: '0.1s',
  maxBackoff: '1s',
  backoffMultiplier: 3,
  retryableStatusCodes: ['UNAVAILABLE'],
};

/** Options of all gRPC clients. Gateways set a longer keepalive timeout (`withKeepaliveTimeout`). */
export const clientOptions: ChannelOptions = {
  // With keepalive, a gRPC client detects within two seconds that its peer does not respond.
  'grpc.keepalive_time_ms': 1_000,
  'grpc.keepalive_timeout_ms': 1_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.service_config': JSON.stringify({ methodConfig: [{ name: REPEATABLE, retryPolicy: RETRIES }] }),
  // Maximum size of a reply: enough for 1000 payloads (data of game servers). The default of grpc-js is 4 MiB.
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  // Enlarges the flow-control window of each gRPC stream. With HTTP/2's default of 64 KiB, the sender of a reply with a
  // few hundred servers would stop several times and wait for the reader.
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
};

/**
 * Creates the metadata of a call to the internal port. Throws if the secret contains characters that are not allowed in
 * metadata. The error does not contain the secret, unlike the error that grpc-js would throw.
 */
export function internalMetadata(secret: string): Metadata {
  const metadata = new Metadata();
  try {
    metadata.set(INTERNAL_SECRET_KEY, secret);
  } catch {
    throw new Error('gRPC metadata cannot carry the secret of the internal port');
  }
  return metadata;
}

/** The TLS credentials of a gRPC channel, and options that replace those of `clientOptions`. */
export interface ChannelSecurity {
  credentials: ChannelCredentials;
  options: ChannelOptions;
}

/** Security of a gRPC channel without encryption. Neither side proves its identity. */
export const insecure: ChannelSecurity = { credentials: credentials.createInsecure(), options: {} };

/**
 * Returns a copy of `security` with another keepalive timeout. The channel closes its connection if the peer does not
 * answer a keepalive ping for `timeoutMs` milliseconds.
 */
export function withKeepaliveTimeout(security: ChannelSecurity, timeoutMs: number): ChannelSecurity {
  const { credentials, options } = security;
  return { credentials, options: { ...options, 'grpc.keepalive_timeout_ms': timeoutMs } };
}

/**
 * Returns a copy of `security` with a flow-control window of `bytes`. The window is the number of bytes that can arrive
 * on a stream before its reader takes them. Clients with different windows share no connection.
 */
export function withFlowControlWindow(security: ChannelSecurity, bytes: number): ChannelSecurity {
  const { credentials, options } = security;
  return { credentials, options: { ...options, 'grpc-node.flow_control_window': bytes } };
}

/**
 * Creates the security of a channel with mutual TLS. The certificates and the key are in PEM format. The server
 * certificate must be valid for `host` or for `otherName`. IPv6 addresses in both are written without brackets. Throws
 * if `key` does not belong to `certificate`.
 */
export function mutualTls(
  host: string,
  { certificate, key, authority }: { certificate: Buffer; key: Buffer; authority: Buffer },
  otherName = host,
): ChannelSecurity {
  const context = createSecureContext({ cert: certificate, key, ca: authority, minVersion: 'TLSv1.2' });
  return {
    credentials: credentials.createFromSecureContext(context, {
      checkServerIdentity: (_name, shown) =>
        checkServerIdentity(host, shown) && checkServerIdentity(otherName, shown),
    }),
    // If the host is an IP address, sends a dummy name in the TLS handshake. By default, grpc-js would send the IP
    // address as the server name, but TLS forbids IP addresses there (RFC 6066).
    options: isIP(host) ? { 'grpc.ssl_target_name_override': 'core.invalid' } : {},
  };
}

function channel(address: string, security: ChannelSecurity): [string, ChannelCredentials, ChannelOptions] {
  return [address, security.credentials, { ...clientOptions, ...security.options }];
}

/**
 * Functions that create a gRPC client, one function for each service. A client has its own channel to `address`
 * (`host:port`, IPv6 in brackets).
 */
export const clients = {
  game: (address: string, security = insecure): GameServiceClient =>
    new gsqV1.GameService(...channel(address, security)),
  server: (address: string, security = insecure): ServerServiceClient =>
    new gsqV1.ServerService(...channel(address, security)),
  history: (address: string, security = insecure): HistoryServiceClient =>
    new gsqV1.HistoryService(...channel(address, security)),
  probe: (address: string, security = insecure): ProbeServiceClient =>
    new gsqV1.ProbeService(...channel(address, security)),
  admin: (address: string, security = insecure): AdminServiceClient =>
    new gsqV1.AdminService(...channel(address, security)),
  cluster: (address: string, security = insecure): ClusterServiceClient =>
    new gsqV1.ClusterService(...channel(address, security)),
  webhook: (address: string, security = insecure): WebhookServiceClient =>
    new gsqV1.WebhookService(...channel(address, security)),
  notify: (address: string, security = insecure): NotifyServiceClient =>
    new gsqV1.NotifyService(...channel(address, security)),
  /**
   * Creates a gRPC client for the methods of all services. The caller encodes the requests and decodes the responses.
   */
  any: (address: string, security = insecure): Client => new Client(...channel(address, security)),
};
