import type { TestContext } from 'node:test';
import { Server } from '@grpc/grpc-js';
import { CallJournal } from '../../../core/rpc/call-journal.ts';
import type { CallOrigin } from '../../../core/rpc/call-origin.ts';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { type CallGuard, Handlers } from '../../../core/rpc/handler.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { FetchServersRequest__Output } from '../../../proto/generated/gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse } from '../../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';

/** Throws an error whose message must not reach the caller. */
export const secretFailure = (): never => {
  throw new Error('password in /etc/secret at 10.0.0.1');
};

/** Type of the function with which the test server answers the unary method FetchServers. */
export type Unary = (
  request: FetchServersRequest__Output,
) => Promise<FetchServersResponse> | FetchServersResponse;

/**
 * Starts a gRPC server for tests. The method FetchServers calls `unary`. Each stream method sends one message, and then
 * calls `streams`. `defects` in the result contains the internal errors of the handlers.
 */
export async function serving(
  t: TestContext,
  unary: Unary,
  guard: CallGuard = () => {},
  streams = async () => {},
  journal = new CallJournal(),
) {
  const defects: { error: unknown; method: string; origin: CallOrigin }[] = [];
  const handlers = new Handlers(
    guard,
    (error, method, origin) => defects.push({ error, method, origin }),
    journal,
  );
  const server = new Server();
  server.addService(gsqV1.ServerService.service, {
    FetchServers: handlers.unary<FetchServersRequest__Output, FetchServersResponse>(({ request }) =>
      unary(request),
    ),
    WatchServers: handlers.serverStream(async call => {
      call.write({ snapshot: { results: [] } });
      await streams();
    }),
    FetchStream: handlers.bidi(async call => {
      call.write({ replies: [] });
      await streams();
    }),
  });
  const client = clients.server(
    formatEndpoint(await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 })),
  );
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  return { client, defects, handlers };
}
