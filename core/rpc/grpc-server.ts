import { type ChannelOptions, logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import { type Endpoint, formatEndpoint } from '../../runtime/config.ts';
import { listenError } from '../../runtime/listen-error.ts';

const DRAIN_MS = 5_000;

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
};

/** For gateway and probers, whose messages carry many requests or reports. */
const internalOptions: ChannelOptions = {
  ...common,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
};

export function createPublicServer(): Server {
  return new Server(publicOptions);
}

export function createInternalServer(): Server {
  return new Server(internalOptions);
}

/** Resolves to the endpoint as bound. Rejects with ConfigError, which names the setting and the address. */
export function listen(server: Server, setting: string, endpoint: Endpoint): Promise<Endpoint> {
  return new Promise((resolve, reject) => {
    server.bindAsync(formatEndpoint(endpoint), ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(listenError(setting, endpoint, error));
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
