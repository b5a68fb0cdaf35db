import { createServer, type Server as NetServer, type Socket } from 'node:net';
import {
  type ChannelOptions,
  type ConnectionInjector,
  logVerbosity,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { AddressCap } from '../../net/address-cap.ts';
import { type Endpoint, formatEndpoint } from '../../runtime/endpoint.ts';
import type { FailedHandshakes } from '../../runtime/failed-handshakes.ts';
import type { TlsIdentity } from '../../runtime/internal-port.ts';
import { listenError } from '../../runtime/listen-error.ts';
import type { TlsTerminator } from '../../runtime/tls-terminator.ts';
import { MAX_MESSAGE_BYTES, TIME_LIMITS } from './call-limits.ts';
import { closeAfterGoaway, prepareHttp2 } from './http2-server.ts';
import { explainUnknownMethod } from './library-errors.ts';
import { publicCalls } from './public-call.ts';
import { acceptsGzip } from './reply-encoding.ts';
import { UnservedCalls } from './unserved-calls.ts';

/**
 * Longest time to wait for calls in flight when the core stops, ms. This time is short, because the whole shutdown has
 * a time limit, and the core must still close the store.
 */
const DRAIN_MS = 3_000;

// grpc-js prints errors that the core also receives and logs. Therefore the output of grpc-js is turned off.
setLogVerbosity(logVerbosity.NONE);

const common: ChannelOptions = {
  // Turns off Channelz, which counts every call, because nothing reads its counts. A unary call takes 94 µs with
  // Channelz, and 10 µs of them are for the counts.
  'grpc.enable_channelz': 0,
  'grpc.max_concurrent_streams': 256,
  'grpc-node.max_session_memory': 64,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
};

/** Options of grpc-js for the public port. */
const publicOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_connection_age_ms': 3_600_000,
  'grpc.max_connection_age_grace_ms': 60_000,
  'grpc.max_connection_idle_ms': 300_000,
};

/**
 * Options of grpc-js for the internal port. This port has a higher message limit than the public port, because one
 * message of a gateway or a prober contains many requests or reports.
 */
const internalOptions: ChannelOptions = {
  ...common,
  // A gateway can have 2,000 open event streams on one connection, and each of them needs one HTTP/2 stream. The limit
  // for HTTP/2 streams is higher, because the other calls of the gateway need streams too.
  'grpc.max_concurrent_streams': 4_096,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

/**
 * Maximum size of the metadata of a call on the public port, in bytes, as HTTP/2 counts them. gsq tells each client
 * this limit when the client connects. If a call has more metadata, Node resets the HTTP/2 stream of the call.
 */
const METADATA_BYTES = 64 * 1024;

/** Maximum number of connections and calls that public callers can have open at the same time. */
export interface PublicLimits {
  /** Maximum number of open connections of all public callers together. Further connections are closed immediately. */
  connections: number;
  connectionsPerAddress: number;
  callsPerAddress: number;
}

const LIMITS: PublicLimits = { connections: 2_000, connectionsPerAddress: 32, callsPerAddress: 256 };

/** Options of the gRPC server of the public port. */
export interface PublicServerOptions {
  /** True if connections and calls are limited for each IP address. False if all callers connect through one proxy. */
  byAddress: boolean;
  limits?: PublicLimits;
  /** Returns true if the limits for each IP address apply to this address. By default, loopback has no limits. */
  counts?: (address: string) => boolean;
  /** Decrypts the TLS connections of the public port. If absent, connections are plain text. */
  tls?: TlsTerminator | undefined;
  /** Logs the calls that are refused before a handler serves them. */
  unserved?: UnservedCalls;
}

/** The gRPC server of the public port. It accepts connections itself, because grpc-js cannot limit their number. */
export class PublicServer extends Server {
  readonly #listener: NetServer;
  readonly #tls: TlsTerminator | undefined;
  /** Paths of the gRPC methods that this server serves. */
  readonly #methods: Set<string>;

  constructor({ byAddress, limits = LIMITS, counts, tls, unserved }: PublicServerOptions) {
    const log = unserved ?? new UnservedCalls();
    const cap = (limit: number) => (byAddress ? new AddressCap(limit, counts) : undefined);
    const methods = new Set<string>();
    let gzip = false;
    super({
      ...publicOptions,
      interceptors: [
        publicCalls({
          limits: { perAddress: cap(limits.callsPerAddress), ...TIME_LIMITS },
          acceptsGzip: () => gzip,
          unserved: log,
        }),
      ],
    });
    this.#methods = methods;
    prepareHttp2(this, http2Server => {
      closeAfterGoaway(http2Server);
      http2Server.updateSettings({ maxHeaderListSize: METADATA_BYTES });
      // Reads the HTTP/2 headers for the interceptor, which has no access to them. This listener must run before the
      // listener of grpc-js for the same event, because the listener of grpc-js calls the interceptor.
      http2Server.prependListener('stream', (stream, headers) => {
        gzip = acceptsGzip(headers);
        if (!methods.has(headers[':path'] ?? '')) explainUnknownMethod(stream, headers, log);
      });
    });
    const connections = cap(limits.connectionsPerAddress);
    // Passes accepted connections to grpc-js, which opens no port itself. grpc-js gets plain text: the TLS terminator
    // has already decrypted the connections that use TLS.
    const injector: ConnectionInjector = this.createConnectionInjector(ServerCredentials.createInsecure());
    const serve = (socket: Socket): void => injector.injectConnection(socket);
    const accept = tls ? tls.listenerFor(serve) : serve;
    this.#tls = tls;
    this.#listener = createServer(socket => {
      const release = connections ? connections.takeSlot(socket.remoteAddress ?? '') : undefined;
      if (connections && !release) {
        socket.destroy();
        return;
      }
      if (release) socket.once('close', release);
      accept(socket);
    });
    this.#listener.maxConnections = limits.connections;
  }

  override addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    for (const { path } of Object.values(service)) this.#methods.add(path);
    super.addService(service, implementation);
  }

  /**
   * Starts to listen. Resolves to the address and port that were bound. Rejects with the system error if the port
   * cannot be bound.
   */
  listen({ host, port }: Endpoint): Promise<Endpoint> {
    return new Promise((resolve, reject) => {
      // An `error` event after the port is bound means that one connection could not be accepted. The promise is
      // already resolved, so `reject` has no effect.
      this.#listener.on('error', reject);
      this.#listener.listen(port, host, () => {
        const bound = this.#listener.address();
        resolve({ host, port: typeof bound === 'object' && bound ? bound.port : port });
      });
    });
  }

  override tryShutdown(callback: (error?: Error) => void): void {
    this.#listener.close();
    this.#tls?.close();
    super.tryShutdown(callback);
  }
}

/** Creates the gRPC server of the internal port. `failures` logs the failed TLS handshakes of the port. */
export function createInternalServer(failures?: FailedHandshakes): Server {
  const server = new Server(internalOptions);
  prepareHttp2(server, http2Server => {
    closeAfterGoaway(http2Server);
    // grpc-js does not report failed TLS handshakes, so `failures` watches the HTTP/2 server.
    failures?.watch(http2Server);
  });
  return server;
}

/**
 * Creates credentials for mutual TLS. Peers need a certificate of the same certificate authority. The minimum version
 * is TLS 1.2, which is the default of Node.
 */
export function mutualTls({ certificate, key, authority }: TlsIdentity): ServerCredentials {
  return ServerCredentials.createSsl(authority, [{ cert_chain: certificate, private_key: key }], true);
}

/**
 * Starts to listen at an endpoint, and resolves to the bound address and port. If this fails, rejects with ConfigError,
 * which contains the setting and the address. `credentials`: TLS credentials of the internal port; by default,
 * connections are plain text.
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

/** Stops a gRPC server: waits for calls in flight to end, and cancels calls that take too long. */
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
