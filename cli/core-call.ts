import { Client, credentials, Metadata, type ServiceError as RpcError, status } from '@grpc/grpc-js';
import { clientOptions, internalMetadata } from '../proto/clients.ts';
import type { settings } from '../proto/settings.ts';
import { type Config, formatEndpoint } from '../runtime/config.ts';
import { inWords } from '../runtime/error-words.ts';
import { exitStatus } from '../runtime/lifecycle.ts';
import { CommandError } from './command.ts';

const DEADLINE_MS = 10_000;

/** Which of the core's ports a command talks to, by the setting that names it. */
type Port = 'GSQ_GRPC_ADDR' | 'GSQ_INTERNAL_ADDR';

/** A unary method, as the generated service definitions describe it. */
interface Method<Request, Response> {
  path: string;
  requestSerialize: (request: Request) => Buffer;
  responseDeserialize: (bytes: Buffer) => Response;
}

/** Calls a unary method of the core. Rejects with CommandError, whose status is the command's. */
export type CallCore = <Request, Response>(
  method: Method<Request, Response>,
  request: Request,
) => Promise<Response>;

/** Why nothing came back; gRPC wraps the cause in words about itself. */
function whyNoAnswer({ code, details }: RpcError): string {
  if (code === status.DEADLINE_EXCEEDED) return `not within ${DEADLINE_MS / 1000} s`;
  if (details.startsWith('Name resolution failed')) return 'the name has no address';
  const cause = /\bE[A-Z]{4,}\b/.exec(details)?.[0];
  return inWords(cause ?? details);
}

function asCommandError(error: RpcError, address: string, port: Port): CommandError {
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return new CommandError(
        exitStatus.unreachable,
        `no answer from the core at ${address} (${whyNoAnswer(error)})\n` +
          `Start the service with "npm start", or name its address with ${port}.`,
      );
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return new CommandError(exitStatus.credentials, error.details);
    case status.INVALID_ARGUMENT:
      return new CommandError(exitStatus.usage, error.details);
    default:
      return new CommandError(exitStatus.failed, error.details);
  }
}

/** Opens a channel to the core, lets `use` call it, each call with a deadline, and closes the channel. */
export async function withCore<T>(
  config: Config<typeof settings>,
  port: Port,
  use: (call: CallCore) => Promise<T>,
): Promise<T> {
  const address = formatEndpoint(config[port]);
  const client = new Client(address, credentials.createInsecure(), clientOptions);
  // The secret is for the internal port alone; nobody else should see it.
  const metadata =
    port === 'GSQ_INTERNAL_ADDR' ? internalMetadata(config.GSQ_INTERNAL_SECRET) : new Metadata();
  const call: CallCore = ({ path, requestSerialize, responseDeserialize }, request) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        { deadline: Date.now() + DEADLINE_MS },
        (error, response) => {
          if (error) reject(asCommandError(error, address, port));
          else if (response === undefined) reject(new CommandError(exitStatus.failed, 'an empty answer'));
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
