import type { EventEmitter } from 'node:events';
import { createServer, type Server as NetServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  type ChannelOptions,
  type ConnectionInjector,
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { AddressCap } from '../../net/address-cap.ts';
import { type Endpoint, formatEndpoint } from '../../runtime/endpoint.ts';
import type { TlsIdentity } from '../../runtime/internal-port.ts';
import { listenError } from '../../runtime/listen-error.ts';
import { callLimits } from './call-limits.ts';

/** Time limit for calls to end when the core stops, ms; the store needs the rest of the process' limit. */
const DRAIN_MS = 3_000;

// grpc-js prints errors that the core receives and logs anyway.
setLogVerbosity(logVerbosity.NONE);

const common: ChannelOptions = {
  // Channelz counts every call and nobody reads it: 10 of 94 µs of a unary call.
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 256,
  'grpc-node.max_session_memory': 64,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
};

/** Options of the public port. A request of 1000 addresses is well below 1 MiB. */
const publicOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': 1024 * 1024,
  'grpc.max_connection_age_ms': 3_600_000,
  'grpc.max_connection_age_grace_ms': 60_000,
  'grpc.max_connection_idle_ms': 300_000,
};

/** Options of the internal port: messages of gateways and probers carry many requests or reports. */
const internalOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

/** Limits on what callers have open at a time. */
export interface PublicLimits {
  /** A connection beyond this is closed at once. */
  connections: number;
  connectionsPerAddress: number;
  callsPerAddress: number;
}

const LIMITS: PublicLimits = { connections: 2_000, connectionsPerAddress: 32, callsPerAddress: 256 };

/** The server of the public port. It accepts connections itself, because grpc-js cannot limit them. */
export class PublicServer extends Server {
  readonly #listener: NetServer;

  /** `byAddress`: limits each address too; false if all callers come through one proxy. */
  constructor(byAddress: boolean, limits: PublicLimits = LIMITS, counts?: (address: string) => boolean) {
    const cap = (limit: number) => (byAddress ? new AddressCap(limit, counts) : undefined);
    super({ ...publicOptions, interceptors: [callLimits({ perAddress: cap(limits.callsPerAddress) })] });
    const connections = cap(limits.connectionsPerAddress);
    const injector: ConnectionInjector = this.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listener = createServer(socket => {
      const release = connections ? connections.takeSlot(socket.remoteAddress ?? '') : undefined;
      if (connections && !release) {
        socket.destroy();
        return;
      }
      if (release) socket.once('close', release);
      injector.injectConnection(socket);
    });
    this.#listener.maxConnections = limits.connections;
  }

  /** Resolves to the endpoint as bound. Rejects with the error of the system. */
  listen({ host, port }: Endpoint): Promise<Endpoint> {
    return new Promise((resolve, reject) => {
      // After it listens, an error means that one connection could not be accepted; `reject` has no effect then.
      this.#listener.on('error', reject);
      this.#listener.listen(port, host, () => {
        const bound = this.#listener.address();
        resolve({ host, port: typeof bound === 'object' && bound ? bound.port : port });
      });
    });
  }

  override tryShutdown(callback: (error?: Error) => void): void {
    this.#listener.close();
    super.tryShutdown(callback);
  }
}

/** The server of the internal port. `onFailedHandshake` is called with the address of a peer, if known, and the TLS error. */
export function createInternalServer(
  onFailedHandshake: (peer: string | undefined, cause: string) => void = () => {},
): Server {
  const server = new Server(internalOptions);
  // grpc-js does not report failed handshakes, so this wraps a private method of it. If a release renames it, a test fails.
  const create: unknown = Reflect.get(server, 'createHttp2Server');
  if (typeof create !== 'function') return server;
  Reflect.set(server, 'createHttp2Server', (credentials: ServerCredentials): EventEmitter => {
    const http2Server: EventEmitter = Reflect.apply(create, server, [credentials]);
    return http2Server.on('tlsClientError', (error: Error & { reason?: string }, socket: TLSSocket) => {
      // For an untrusted certificate only the socket has the cause.
      const cause = socket.authorizationError ?? error.reason ?? error.message;
      onFailedHandshake(socket.remoteAddress, String(cause));
    });
  });
  return server;
}

/** Mutual TLS: peers need a certificate of the same authority. Node's oldest version is TLS 1.2. */
export function mutualTls({ certificate, key, authority }: TlsIdentity): ServerCredentials {
  return ServerCredentials.createSsl(authority, [{ cert_chain: certificate, private_key: key }], true);
}

/**
 * Resolves to the endpoint as bound. Rejects with ConfigError, which names the setting and the address. `credentials`:
 * TLS of the internal port; plain text if absent.
 */
export async function listen(
  server: Server,
  setting: string,
  endpoint: Endpoint,
  credentials = ServerCredentials.createInsecure(),
): Promise<Endpoint> {
  try {
    return await (server instanceof PublicServer
      ? server.listen(endpoint)
      : bind(server, endpoint, credentials));
  } catch (error) {
    throw listenError(setting, endpoint, error instanceof Error ? error : new Error(String(error)));
  }
}

function bind(server: Server, endpoint: Endpoint, credentials: ServerCredentials): Promise<Endpoint> {
  return new Promise((resolve, reject) => {
    server.bindAsync(formatEndpoint(endpoint), credentials, (error, port) => {
      if (error) reject(error);
      else resolve({ host: endpoint.host, port });
    });
  });
}

/** Waits for calls in flight to end, and cuts off those that take too long. */
export function drain(server: Server): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, DRAIN_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
