import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import type { TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import { type PublicLimits, PublicServer } from '../../../core/rpc/grpc-server.ts';
import { addReflection } from '../../../core/rpc/reflection.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';

/** Path of the method ListGames. */
export const LIST_GAMES = gsqV1.GameService.service.ListGames.path;

/** An empty request message, as it is sent over HTTP/2: the five bytes of a gRPC message header. */
export const EMPTY = Buffer.alloc(5);

const many: PublicLimits = { connections: 100, connectionsPerAddress: 100, callsPerAddress: 100 };

/**
 * Starts a public gRPC server. Its method ListGames does not reply by itself: each call adds a function to `held`, and
 * the reply is sent when the test calls this function. By default, the limits for each IP address also apply to
 * loopback.
 */
export async function publicServer(t: TestContext, limits: Partial<PublicLimits> = {}, byAddress = true) {
  const server = new PublicServer({ byAddress, limits: { ...many, ...limits }, counts: () => true });
  const held: (() => void)[] = [];
  server.addService(gsqV1.GameService.service, {
    ListGames: (_call: unknown, answer: (error: null, games: object) => void) => {
      held.push(() => answer(null, { games: [] }));
    },
  });
  addReflection(server, ['gsq.v1.GameService']);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.tryShutdown(() => {}));
  const session = () => {
    const made = connectHttp2(`http://127.0.0.1:${port}`);
    made.on('error', () => {});
    t.after(() => made.destroy());
    return made;
  };
  return { port, held, session };
}

/** Returns the HTTP/2 headers of a gRPC call, with additional headers in `more`. */
export function headers(path: string, more: Record<string, string> = {}): Record<string, string> {
  return { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more };
}

/** Resolves to the gRPC status and the message of a call, which are in the trailers or in the headers. */
export async function outcome(
  stream: ClientHttp2Stream,
): Promise<{ code: string | undefined; message: string }> {
  let fields: Record<string, unknown> = {};
  stream.on('response', answer => {
    fields = { ...fields, ...answer };
  });
  stream.on('trailers', answer => {
    fields = { ...fields, ...answer };
  });
  stream.on('error', () => {});
  stream.resume();
  await once(stream, 'close');
  return { code: status[Number(fields['grpc-status'])], message: decodeURI(String(fields['grpc-message'])) };
}
