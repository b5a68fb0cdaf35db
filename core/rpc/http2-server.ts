import type { Http2Server } from 'node:http2';
import type { Server, ServerCredentials } from '@grpc/grpc-js';

/**
 * Calls `prepare` with each HTTP/2 server of a gRPC server, before the HTTP/2 server accepts connections. grpc-js has
 * no method for this, so this function wraps a private method of grpc-js. If a later release renames the method, tests
 * fail.
 */
export function prepareHttp2(server: Server, prepare: (http2Server: Http2Server) => void): void {
  const create: unknown = Reflect.get(server, 'createHttp2Server');
  if (typeof create !== 'function') return;
  Reflect.set(server, 'createHttp2Server', (credentials: ServerCredentials): Http2Server => {
    const http2Server: Http2Server = Reflect.apply(create, server, [credentials]);
    prepare(http2Server);
    return http2Server;
  });
}
