import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { acceptsGzip } from './accept-encoding.ts';
import type { Exchange, Reply, Response } from './exchange.ts';

const gzipAsync = promisify(gzip);
const OPTIONS = { level: 1 };
// Up to here compressing takes little longer than handing the work to another thread does, which costs twice as much
// of the machine: 0.1 ms against 0.04 ms of this thread and 0.2 ms in all at 58 KB.
const SYNC_BYTES = 256 * 1024;
// How much of a request nobody wants is still read, so that its sender gets to see the answer.
const LINGER_BYTES = 8 * 1024 * 1024;

/**
 * Sends a reply: JSON, compressed unless refused, with its length. It leaves with the other answers of this turn of the
 * event loop, or where it has to be compressed elsewhere, in the turn the returned promise resolves in.
 */
export function send(exchange: Exchange, response: Response, reply: Reply): Promise<void> | undefined {
  Object.assign(exchange.headers, reply.headers);
  const { body } = reply;
  if (body === undefined) {
    response.writeHead(reply.status, exchange.headers).end();
    return;
  }
  if (reply.encoded) {
    exchange.headers['Content-Encoding'] = 'gzip';
    sendBytes(exchange, response, reply.status, body);
    return;
  }
  if (!acceptsGzip(exchange.request.headers['accept-encoding'])) {
    sendBytes(exchange, response, reply.status, body);
    return;
  }
  exchange.headers['Content-Encoding'] = 'gzip';
  const bytes = reply.gzipped ? reply.gzipped() : compress(body);
  if (bytes instanceof Promise) {
    return bytes.then(compressed => sendBytes(exchange, response, reply.status, compressed));
  }
  sendBytes(exchange, response, reply.status, bytes);
}

/**
 * The last answer of a connection that the kernel did not take whole at once. Those that it did are not kept: one for each
 * of thousands of connections is what the garbage collector would have to move about.
 */
const unfinished = new WeakMap<Duplex, Response>();

/** Whether an answer is on its way, which another one must not be mixed into. */
export function isAnswering(socket: Duplex): boolean {
  writeAnswers();
  const response = unfinished.get(socket);
  // Not `writableFinished`: Node 24 sets it a tick after the kernel took the answer.
  return response !== undefined && (!response.writableEnded || response.writableLength > 0);
}

/** Compresses at the level all answers are compressed at. */
export function compress(body: Buffer): Buffer | Promise<Buffer> {
  return body.length <= SYNC_BYTES ? gzipSync(body, OPTIONS) : gzipAsync(body, OPTIONS);
}

function sendBytes(exchange: Exchange, response: Response, status: number, bytes: Buffer): void {
  const { headers, request } = exchange;
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = String(bytes.length);
  response.writeHead(status, headers);
  if (headers.Connection === 'close' && !request.complete) {
    endAfterRequest(request, response, bytes);
    unfinished.set(request.socket, response);
    return;
  }
  if (ready.length === 0) setImmediate(writeAnswers);
  ready.push({ socket: request.socket, response, bytes });
  if (ready.length === AT_ONCE) writeAnswers();
}

/** How many answers wait for each other at most. */
const AT_ONCE = 32;
const ready: { socket: Duplex; response: Response; bytes: Buffer }[] = [];

/**
 * Writes the answers of this turn of the event loop one right after the other: 20 µs of CPU for the catalog instead of 27.
 * A peer that sleeps is woken by the first and still awake for the rest, and to wake is what is dear.
 */
function writeAnswers(): void {
  for (const { socket, response, bytes } of ready) {
    response.end(bytes);
    if (response.writableLength > 0) unfinished.set(socket, response);
  }
  ready.length = 0;
}

/**
 * Closing a connection whose request is still arriving resets it, and the reset can overtake the answer. So the
 * answer goes out, and the rest of the request is thrown away for a while before the close (RFC 9112, 9.6).
 */
function endAfterRequest(request: IncomingMessage, response: Response, bytes: Buffer): void {
  response.write(bytes);
  let left = LINGER_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) response.end();
  });
  request.on('close', () => response.end());
  request.on('end', () => response.end());
  request.resume();
}
