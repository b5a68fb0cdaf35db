import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { connect } from 'node:tls';
import type { PlainRoute } from '../../gateway/http/plain-route.ts';
import { type HttpLimits, httpLimits, listenHttp } from '../../gateway/http-server.ts';
import { TlsFixture, type TlsFixtureOptions } from '../runtime/terminated-port.ts';
import { until } from '../system/until.ts';

/** The head of a request that the fast HTTP parser can read. Its body has two bytes. */
export const REQUEST = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
/** The body of a request that is answered only after the client has closed its half of the connection. */
export const LATE = 'zz';
/** A request that node:http reads, because the fast HTTP parser knows only the path /echo. */
export const GET = 'GET /node HTTP/1.1\r\nHost: x\r\n\r\n';
/** The answer to `GET /large`. It is larger than all buffers between server and client together. */
export const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/**
 * Starts an HTTPS server whose answer shows which parser has read the request. After the fast HTTP parser, the answer
 * is `plain` and the body of the request. After node:http, the answer is `node`, or `LARGE` for the path /large.
 */
export async function serve(t: TestContext, limits: Partial<HttpLimits> = {}, options?: TlsFixtureOptions) {
  const fixture = new TlsFixture(options);
  /** The connections on which the requests arrived: one entry for each request, in the order of arrival. */
  const served: Socket[] = [];
  const route: PlainRoute = {
    method: 'POST',
    path: '/echo',
    acceptsPlain: () => true,
    listener: ({ body, socket }, response) => {
      served.push(socket);
      const bytes = Buffer.concat([Buffer.from('plain '), body]);
      const answer = () => response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      if (body.toString() === LATE) socket.once('end', () => setImmediate(answer));
      else answer();
    },
  };
  const server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    (incoming, response) => {
      served.push(incoming.socket);
      incoming.resume();
      const body = incoming.url === '/large' ? LARGE : 'node';
      incoming.on('end', () => response.writeHead(200, { 'Content-Length': body.length }).end(body));
    },
    { ...httpLimits, ...limits },
    [route],
    fixture.terminator,
  );
  t.after(() => server.close(0));
  const { port } = server.endpoint;
  const open = (tls12 = false) => {
    const version = tls12 ? ({ maxVersion: 'TLSv1.2' } as const) : {};
    const socket = connect({ host: '127.0.0.1', port, ca: fixture.ca, ...version }).setEncoding('latin1');
    const closed = new Promise(resolve => socket.on('close', resolve));
    const connection = { socket, received: '', closed };
    socket
      .on('error', () => {})
      .on('data', text => {
        connection.received += text;
      });
    t.after(() => socket.destroy());
    return connection;
  };
  return { fixture, server, port, open, served };
}

const receives = ({ received }: { received: string }, pattern: RegExp) => pattern.test(received);

/** Waits until the text that the client has received matches `pattern`. */
export const untilReceived = (connection: { received: string }, pattern: RegExp) =>
  until(`an answer that matches ${pattern}`, () => receives(connection, pattern), Boolean);
