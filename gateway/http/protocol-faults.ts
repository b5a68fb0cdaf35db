import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { AnswerLog } from './answer-log.ts';
import { protocolErrorReply } from './error-reply.ts';
import { createExchange, securityHeaders } from './exchange.ts';
import { continueWhenRead } from './expect-continue.ts';
import { NodeConnection } from './node-connection.ts';
import { isAnswering, sendReply } from './send.ts';

interface Fault {
  status: number;
  message: string;
}

const BROKEN: Fault = {
  status: 400,
  message:
    'This is not an HTTP/1.1 request; check the request line, the headers and the framing of the body.',
};

const TOO_MANY_HEADERS: Fault = {
  status: 431,
  message: 'The request has more than 100 headers; send fewer.',
};
const NO_HOST: Fault = { status: 400, message: 'The Host header is missing; HTTP/1.1 requires it.' };
const TWO_HOSTS: Fault = { status: 400, message: 'There is more than one Host header; send one.' };
const CHUNKED_1_0: Fault = {
  status: 400,
  message: 'Transfer-Encoding is no part of HTTP/1.0; send Content-Length, or HTTP/1.1.',
};

/** Maximum number of headers in a request. Callers and browsers send about 20. */
const MAX_HEADERS = 100;

const FAULTS: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: 'The headers are over 16 KiB together; send fewer or shorter ones.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    message: 'The chunk extensions of the body are over 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time; send it again.' },
};

/**
 * Passes the valid requests of an HTTP server to `listener`, including CONNECT requests. Answers invalid requests
 * itself, with JSON. The server must be created with `requireHostHeader: false`, because this function itself answers a
 * request without a Host header.
 *
 * - `answers`: the log for protocol errors.
 * - `lingerMs`: how long a connection stays open after the answer to a CONNECT request or to unreadable bytes, ms. In
 *   this time the peer can read the answer.
 */
export function serveRequests(
  server: Server,
  listener: RequestListener,
  lingerMs: number,
  answers?: AnswerLog,
): void {
  // By default, node:http silently ignores all headers after the first 1000. An ignored header could be the
  // X-Forwarded-For of the last proxy, which contains the address of the caller.
  server.maxHeadersCount = 0;
  // Makes node:http still send the answer if the caller has closed its half of the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Map<Duplex, NodeConnection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new NodeConnection(socket));
    socket.once('close', () => connections.delete(socket));
  });
  // Replaces Node's own `closeIdleConnections`, because Node's method would cut off an answer that is still being sent.
  server.closeIdleConnections = () => {
    for (const connection of connections.values()) connection.closeSoon();
  };
  const answer: RequestListener = (request, response) => {
    const fault = faultOf(request);
    // Closes the connection after the answer to a request with an Upgrade header. Node ignores the header, but
    // afterwards it reads no further requests on the connection.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (fault) refuseRequest(request, response, fault, answers);
    else listener(request, response);
  };
  const onRequest: RequestListener = (request, response) =>
    connections.get(request.socket)?.acceptRequest(request, response, () => answer(request, response));
  server.on('request', onRequest);
  // Handles a request with an unknown value of the header Expect like any other request, as RFC 9110, 10.1.1 allows.
  server.on('checkExpectation', onRequest);
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    onRequest(request, response);
  });

  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    if (!(socket instanceof Socket)) return socket.destroy();
    // For a CONNECT request Node passes a socket and no response. With a new ServerResponse, the CONNECT request can be
    // answered like any other request.
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    socket.on('error', () => socket.destroy());
    connections.get(socket)?.dropFurtherBytes();
    destroyLater(socket, lingerMs);
    onRequest(request, response);
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(FAULTS[error.code ?? ''] ?? BROKEN, socket, answers));
    destroyLater(socket, lingerMs);
  });
}

/**
 * Destroys a socket after `lingerMs`, unless the peer closes the connection earlier. Destroying it immediately could
 * reset the connection before the peer has read its answer (RFC 9112, 9.6).
 */
function destroyLater(socket: Duplex, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Returns the fault of a request that Node accepts, but that a proxy could interpret differently (RFC 9112, 3.2 and
 * 6.1). Returns undefined if the request has no fault.
 */
function faultOf({ rawHeaders, httpVersion, headers }: IncomingMessage): Fault | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return TOO_MANY_HEADERS;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return TWO_HOSTS;
  if (httpVersion === '1.1') return hosts === 0 ? NO_HOST : undefined;
  // Refuses the HTTP versions 0.9 and 2.0, which the parser of Node accepts.
  if (httpVersion !== '1.0') return BROKEN;
  return headers['transfer-encoding'] === undefined ? undefined : CHUNKED_1_0;
}

function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message }: Fault,
  answers: AnswerLog | undefined,
): void {
  const exchange = createExchange(request);
  // Closes the connection, because gsq and a proxy in front of it can disagree about where the next request starts
  // (request smuggling).
  exchange.headers.Connection = 'close';
  const reply = protocolErrorReply(status, message, exchange.id);
  answers?.logFault(request.socket, exchange.id, reply);
  sendReply(exchange, response, reply)?.catch(() => response.destroy());
}

function rawResponse({ status, message }: Fault, socket: Duplex, answers: AnswerLog | undefined): Buffer {
  const id = randomUUID();
  const reply = protocolErrorReply(status, message, id);
  answers?.logFault(socket, id, reply);
  // The headers of this request could not be parsed, so Accept-Encoding is unknown. Compresses the answer, as for any
  // request without this header.
  const bytes = gzipSync(reply.body ?? '');
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'Content-Encoding: gzip',
    `Content-Length: ${bytes.length}`,
    'Cache-Control: no-store',
    'Vary: Accept-Encoding',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
