import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { Server, ServerCredentials } from '@grpc/grpc-js';

/**
 * The highest stream id of HTTP/2. After a GOAWAY frame with this id, all streams that are already open can continue.
 */
const MAX_STREAM_ID = 2 ** 31 - 1;

/**
 * Interval at which a closing session checks whether its GOAWAY frame was sent, ms. The frame can be sent late if the
 * caller reads slowly, so one check is not always enough.
 */
const GOAWAY_CHECK_MS = 100;

/**
 * Calls `prepare` with each HTTP/2 server that a gRPC server creates, before the HTTP/2 server accepts connections. For
 * this purpose, wraps a private method of grpc-js, because there is no public one. If a later release of grpc-js
 * renames this method, `prepare` is not called, and tests fail.
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

/**
 * Makes each session of an HTTP/2 server send a GOAWAY frame first and close afterwards. After the GOAWAY frame, Node's
 * HTTP/2 parser ignores new requests of the session.
 */
export function closeAfterGoaway(http2Server: Http2Server): void {
  http2Server.on('session', (session: ServerHttp2Session) => {
    // Node.js first marks an HTTP/2 session as closed, and sends its GOAWAY frame later. In Node 20, a request between
    // these two steps corrupts the memory or ends the process. Any caller can cause this with one TCP segment: a GOAWAY
    // frame and a request (docs/decisions/0022).
    const close = session.close.bind(session);
    let isClosing = false;
    // `closeIfSent` must not run while Node's HTTP/2 parser processes received frames. Therefore only `setImmediate` or
    // a timer calls it.
    const closeIfSent = (): void => {
      if (session.destroyed) return;
      if (session.state.outboundQueueSize === 0) close();
      else setTimeout(closeIfSent, GOAWAY_CHECK_MS).unref();
    };
    session.close = onClosed => {
      if (onClosed) session.once('close', onClosed);
      if (isClosing || session.destroyed) return;
      isClosing = true;
      session.goaway(0, MAX_STREAM_ID);
      setImmediate(closeIfSent);
    };
  });
}
