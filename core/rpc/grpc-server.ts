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

/** Streams end when the core closes, and nothing else takes so long; the store needs time behind it. */
const DRAIN_MS = 3_000;

// What it would print by itself reaches us as errors, which our own log tells.
setLogVerbosity(logVerbosity.NONE);

const common: ChannelOptions = {
  // Nobody can read what it would count of every call: 10 of 94 µs of a unary one.
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 256,
  'grpc-node.max_session_memory': 64,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
};

/** For callers of any kind: a request of 1000 addresses is well below 1 MiB. */
const publicOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': 1024 * 1024,
  'grpc.max_connection_age_ms': 3_600_000,
  'grpc.max_connection_age_grace_ms': 60_000,
  'grpc.max_connection_idle_ms': 300_000,
};

/** For gateway and probers, whose messages carry many requests or reports. */
const internalOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

/** What callers may have open at a time. */
export interface PublicLimits {
  /** One more is closed as it comes. */
  connections: number;
  connectionsPerAddress: number;
  callsPerAddress: number;
}

const LIMITS: PublicLimits = { connections: 2_000, connectionsPerAddress: 32, callsPerAddress: 256 };

/** The server of the public port. It listens by itself, because grpc-js does not count connections. */
export class PublicServer extends Server {
  readonly #listener: NetServer;

  /** `byAddress`: whether each address has its own share, which makes no sense where all callers come by one proxy. */
  constructor(byAddress: boolean, limits: PublicLimits = LIMITS, counts?: (address: string) => boolean) {
    const cap = (limit: number) => (byAddress ? new AddressCap(limit, counts) : undefined);
    super({ ...publicOptions, interceptors: [callLimits({ perAddress: cap(limits.callsPerAddress) })] });
    const connections = cap(limits.connectionsPerAddress);
    const injector: ConnectionInjector = this.createConnectionInjector(ServerCredentials.createInsecure());
    this.#listener = createServer(socket => {
      const give = connections ? connections.takeSlot(socket.remoteAddress ?? '') : undefined;
      if (connections && !give) {
        socket.destroy();
        return;
      }
      if (give) socket.once('close', give);
      injector.injectConnection(socket);
    });
    this.#listener.maxConnections = limits.connections;
  }

  /** Resolves to the endpoint as bound. Rejects with the error of the system. */
  listen({ host, port }: Endpoint): Promise<Endpoint> {
    return new Promise((resolve, reject) => {
      // Once it listens: a connection that could not be accepted, which is no reason to end.
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

/**
 * The server of the internal port. `onFailedHandshake` is told the address of a peer with which TLS failed, where it is still
 * known, and why.
 */
export function createInternalServer(
  onFailedHandshake: (peer: string | undefined, cause: string) => void = () => {},
): Server {
  const server = new Server(internalOptions);
  // grpc-js tells nobody, and lets nobody near the server that knows; where it no longer makes one by this name, a test fails.
  const create: unknown = Reflect.get(server, 'createHttp2Server');
  if (typeof create !== 'function') return server;
  Reflect.set(server, 'createHttp2Server', (credentials: ServerCredentials): EventEmitter => {
    const beneath: EventEmitter = Reflect.apply(create, server, [credentials]);
    return beneath.on('tlsClientError', (error: Error & { reason?: string }, socket: TLSSocket) => {
      // Of a certificate that is not believed the error says only that the connection is over.
      const cause = socket.authorizationError ?? error.reason ?? error.message;
      onFailedHandshake(socket.remoteAddress, String(cause));
    });
  });
  return server;
}

/** Nobody is let in without a certificate of the same authority. TLS 1.2 is the oldest that Node speaks. */
export function mutualTls({ certificate, key, authority }: TlsIdentity): ServerCredentials {
  return ServerCredentials.createSsl(authority, [{ cert_chain: certificate, private_key: key }], true);
}

/**
 * Resolves to the endpoint as bound. Rejects with ConfigError, which names the setting and the address. `credentials`:
 * what secures the internal port; absent, nothing does.
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

/** Lets calls in flight end, then drops what is left. */
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
