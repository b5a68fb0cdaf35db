import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import type { TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import { type PublicLimits, PublicServer } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { addReflection } from '../../../core/rpc/reflection.ts';
import { UnservedCalls } from '../../../core/rpc/unserved-calls.ts';
import { googleRpc, gsqV1 } from '../../../proto/descriptors.ts';
import { fromRpcStatus, type ServiceError } from '../../../proto/service-error.ts';
import { destroySession } from '../../http2-session.ts';

/** HTTP/2 path of the gRPC method ListGames. */
export const LIST_GAMES = gsqV1.GameService.service.ListGames.path;

/** An empty request message, as it is sent over HTTP/2: the five bytes of a gRPC message header. */
export const EMPTY = Buffer.alloc(5);

const many: PublicLimits = { connections: 100, connectionsPerAddress: 100, callsPerAddress: 100 };

/**
 * Starts a public gRPC server. The returned array `held` contains one function for each ListGames call: the call gets
 * no reply until the test runs this function. `byAddress`: true if the limits for each IP address apply.
 */
export async function publicServer(
  t: TestContext,
  limits: Partial<PublicLimits> = {},
  byAddress = true,
  unserved = new UnservedCalls(),
) {
  const server = new PublicServer({
    byAddress,
    limits: { ...many, ...limits },
    counts: () => true,
    unserved,
  });
  const held: ((games?: object[]) => void)[] = [];
  server.addService(gsqV1.GameService.service, {
    ListGames: (_call: unknown, answer: (error: null, games: object) => void) => {
      held.push((games = []) => answer(null, { games }));
    },
  });
  const handlers = new Handlers(
    () => {},
    () => {},
  );
  addReflection(
    server,
    ['gsq.v1.GameService', 'gsq.v1.ServerService'],
    handlers,
    new AbortController().signal,
  );
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.tryShutdown(() => {}));
  const session = () => {
    const made = connectHttp2(`http://127.0.0.1:${port}`);
    made.on('error', () => {});
    t.after(() => destroySession(made));
    return made;
  };
  return { port, held, session };
}

/** Returns the HTTP/2 headers of a gRPC call. `more`: additional headers. */
export function headers(path: string, more: Record<string, string> = {}): Record<string, string> {
  return { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more };
}

/** The end of a call: its gRPC status, and the error in its details. */
export interface Outcome {
  code: string | undefined;
  message: string;
  error: ServiceError | undefined;
  /** The request id in the error details of the call. */
  requestId: string | undefined;
  /** HTTP/2 headers and trailers of the answer to the call. */
  fields: Record<string, unknown>;
  /** Bytes of the answer to the call: messages with their gRPC prefix. */
  body: Buffer;
}

/**
 * Resolves to the outcome of a call. The server can send the gRPC status and message in the trailers or in the headers.
 */
export async function outcome(stream: ClientHttp2Stream): Promise<Outcome> {
  let fields: Record<string, unknown> = {};
  stream.on('response', answer => {
    fields = { ...fields, ...answer };
  });
  stream.on('trailers', answer => {
    fields = { ...fields, ...answer };
  });
  const body: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => body.push(bytes));
  stream.on('error', () => {});
  await once(stream, 'close');
  const encoded = fields['grpc-status-details-bin'];
  const rpc =
    encoded === undefined ? undefined : googleRpc.Status.deserialize(Buffer.from(String(encoded), 'base64'));
  const info = rpc?.details.find(({ type_url }) => type_url.endsWith('/google.rpc.RequestInfo'))?.value;
  return {
    code: status[Number(fields['grpc-status'])],
    message: decodeURI(String(fields['grpc-message'])),
    error: rpc && fromRpcStatus(rpc),
    requestId: info && googleRpc.RequestInfo.deserialize(info).requestId,
    fields,
    body: Buffer.concat(body),
  };
}

/** Returns a message as it is sent over HTTP/2, with the five bytes of a gRPC message header before it. */
export function framed(message: Uint8Array, compressed = 0, length = message.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = compressed;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}
