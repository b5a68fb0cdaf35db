import { hostname, userInfo } from 'node:os';
import { Client, Metadata, type ServiceError as RpcError, status } from '@grpc/grpc-js';
import {
  clientOptions,
  insecure,
  internalMetadata,
  mutualTls,
  operatorKeys,
  operatorName,
  withKeepaliveTimeout,
} from '../../proto/clients.ts';
import { fromGrpcStatus } from '../../proto/service-error.ts';
import type { Config } from '../../runtime/config.ts';
import { inWords } from '../../runtime/error-words.ts';
import { findInternalSecret, internalRoute } from '../../runtime/internal-port.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import type { settings } from '../../runtime/settings.ts';
import { CommandError } from '../console/command.ts';
import { startCommand } from '../console/invocation.ts';

const DEADLINE_MS = 10_000;
/**
 * Timeout of a keepalive ping, ms. With a timeout below the deadline of a call, gRPC would close connections to a busy
 * core.
 */
const DEAD_AFTER_MS = DEADLINE_MS;

/** A unary gRPC method: its path, and the functions that encode requests and decode responses. */
interface Method<Request, Response> {
  path: string;
  requestSerialize: (request: Request) => Buffer;
  responseDeserialize: (bytes: Buffer) => Response;
}

/**
 * Calls a unary method of the core. Rejects with CommandError if the call fails. The status of this error becomes the
 * exit status of the command.
 */
export type CallCore = <Request, Response>(
  method: Method<Request, Response>,
  request: Request,
) => Promise<Response>;

/**
 * Explains in plain words why the core did not answer a call. The error message of gRPC hides the reason behind
 * internal details.
 */
function whyNoAnswer({ code, details }: RpcError, deadlineMs: number): string {
  if (code === status.DEADLINE_EXCEEDED) return `timeout after ${deadlineMs / 1000} s`;
  if (details.startsWith('Name resolution failed')) return 'the host name has no address';
  const cause = /\bE[A-Z]{4,}\b/.exec(details)?.[0];
  return inWords(cause ?? details);
}

function asCommandError(error: RpcError, address: string, deadlineMs: number): CommandError {
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      // If the gRPC status contains error details of gsq, the core itself has answered: it runs, but refuses the call.
      if (fromGrpcStatus(error)) return new CommandError(exitStatus.failed, error.details);
      return new CommandError(
        exitStatus.unreachable,
        `no answer from the core at ${address} (${whyNoAnswer(error, deadlineMs)})\n` +
          `Start the service with "${startCommand()}", or set its address with GSQ_INTERNAL_ADDR.`,
      );
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return new CommandError(exitStatus.credentials, error.details);
    case status.INVALID_ARGUMENT:
      return new CommandError(exitStatus.usage, error.details);
    case status.UNIMPLEMENTED:
      return new CommandError(
        exitStatus.failed,
        `the core at ${address} is older than this gsq and does not know this call; upgrade the core`,
      );
    default:
      return new CommandError(exitStatus.failed, error.details);
  }
}

/**
 * How to call the internal port of the core: its address, the channel credentials (plaintext or TLS), and the metadata
 * of every call.
 */
interface Route {
  address: string;
  security: typeof insecure;
  metadata: Metadata;
}

/**
 * Returns the address, TLS settings and metadata for calls to the internal port of the core. A missing internal secret
 * is no error here, because the core then refuses the call with an error that says what to do.
 */
function internal(config: Config<typeof settings>): Route {
  const { address, host, tls } = internalRoute(config);
  const secret = findInternalSecret(config);
  const metadata = secret === undefined ? new Metadata() : internalMetadata(secret);
  metadata.set(operatorKeys.user, operatorName(userName()));
  metadata.set(operatorKeys.host, operatorName(hostname()));
  const security = withKeepaliveTimeout(tls ? mutualTls(host, tls) : insecure, DEAD_AFTER_MS);
  return { address, security, metadata };
}

/** Returns the name of the operating-system user, or the number of the user if there is no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * Calls a streaming method of the internal port without a deadline. Calls `take` with each message. Rejects with
 * CommandError if the call fails.
 */
export async function streamFromCore<Request, Response>(
  config: Config<typeof settings>,
  { path, requestSerialize, responseDeserialize }: Method<Request, Response>,
  request: Request,
  take: (message: Response) => void,
): Promise<void> {
  const { address, security, metadata } = internal(config);
  const client = new Client(address, security.credentials, { ...clientOptions, ...security.options });
  try {
    const stream = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
    );
    for await (const message of stream) take(message as Response);
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'details' in error)
      throw asCommandError(error as RpcError, address, DEADLINE_MS);
    throw error;
  } finally {
    client.close();
  }
}

/**
 * Opens a channel to the core, runs `use` with a function that calls the core, and closes the channel. Each call has a
 * deadline.
 */
export async function withCore<T>(
  config: Config<typeof settings>,
  use: (call: CallCore) => Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const { address, security, metadata } = internal(config);
  const client = new Client(address, security.credentials, { ...clientOptions, ...security.options });
  const call: CallCore = ({ path, requestSerialize, responseDeserialize }, request) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        { deadline: Date.now() + deadlineMs },
        (error, response) => {
          if (error) reject(asCommandError(error, address, deadlineMs));
          else if (response === undefined)
            reject(new CommandError(exitStatus.failed, 'the answer of the core is empty'));
          else resolve(response);
        },
      );
    });
  try {
    return await use(call);
  } finally {
    client.close();
  }
}
