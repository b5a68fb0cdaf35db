import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A request that the webhook receiver got, with its body. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A web server that receives webhooks on loopback. */
export interface Receiver {
  /** URL of the webhook receiver, without a path. */
  origin: string;
  received: Received[];
}

/**
 * Starts a receiver of webhooks, which answers each request with `answer`. If `tls` is given, the receiver uses https
 * with this certificate.
 */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  answer: (request: Received, response: ServerResponse) => void,
  tls?: { cert: string; key: string },
): Promise<Receiver> {
  const received: Received[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method = '', url: path = '', headers } = request;
    const got = { method, path, headers, body };
    received.push(got);
    answer(got, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, received };
}

/** Starts a webhook receiver that answers each request with status 200 and the body `thanks`. */
export function thankingReceiver(t: Pick<TestContext, 'after'>): Promise<Receiver> {
  return startReceiver(t, (_request, response) => response.end('thanks'));
}

/** Starts a TCP server on loopback that handles each connection with `serve`. Returns its URL. */
export async function rawServer(
  t: Pick<TestContext, 'after'>,
  serve: (socket: Socket) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
