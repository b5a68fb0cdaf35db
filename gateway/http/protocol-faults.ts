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
import { protocolErrorReply } from './error-reply.ts';
import { createExchange, securityHeaders } from './exchange.ts';
import { isAnswering, send } from './send.ts';

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

/** Callers and browsers send some 20; Node keeps 2000 and drops the rest without a word, the last proxy's among them. */
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
 * Makes the server hand requests to `listener`, and answer in JSON where Node would with an empty body of its own, or
 * by hanging up: requests without one Host, with too many headers or with a body that HTTP/1.0 does not know, requests its parser refuses, CONNECT, and Expect values it does not know (which
 * RFC 9110, 10.1.1 lets a server ignore). Connections whose request could not be read, and those of CONNECT, are gone
 * `lingerMs` after their answer at the latest. The server must leave missing Hosts to this (`requireHostHeader`).
 */
export function serveRequests(server: Server, listener: RequestListener, lingerMs: number): void {
  const onRequest: RequestListener = (request, response) => {
    const fault = faultOf(request);
    // Node ignores the wish for another protocol, as it may, and what was sent behind that request too.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (fault) refuse(request, response, fault);
    else listener(request, response);
  };
  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);

  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    if (!(socket instanceof Socket)) return socket.destroy();
    // Node hands CONNECT out as a bare socket; this makes it an exchange like any other.
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => socket.end());
    socket.on('error', () => socket.destroy());
    // What follows is thrown away; only who reads notices that the peer has closed.
    socket.resume();
    destroyLater(socket, lingerMs);
    onRequest(request, response);
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(FAULTS[error.code ?? ''] ?? BROKEN));
    destroyLater(socket, lingerMs);
  });
}

/**
 * An end only closes our half, and a peer may never close the other, nor take the answer. Destroying at once could
 * reset the connection before the answer is read (RFC 9112, 9.6).
 */
function destroyLater(socket: Duplex, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * What Node lets pass and is wrong all the same: two servers in a row could read such a request differently (RFC 9112, 3.2
 * and 6.1).
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
  // Node's parser knows 0.9 and 2.0 too.
  if (httpVersion !== '1.0') return BROKEN;
  return headers['transfer-encoding'] === undefined ? undefined : CHUNKED_1_0;
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, message }: Fault): void {
  const exchange = createExchange(request);
  // Where the next request begins is as doubtful as this one.
  exchange.headers.Connection = 'close';
  const reply = protocolErrorReply(status, message, exchange.id);
  send(exchange, response, reply)?.catch(() => response.destroy());
}

function rawResponse({ status, message }: Fault): Buffer {
  const id = randomUUID();
  const { body } = protocolErrorReply(status, message, id);
  // There are no headers to ask, and no Accept-Encoding means gzip.
  const bytes = gzipSync(body ?? '');
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'Content-Encoding: gzip',
    `Content-Length: ${bytes.length}`,
    'Cache-Control: no-store',
    'Vary: Accept-Encoding',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}
