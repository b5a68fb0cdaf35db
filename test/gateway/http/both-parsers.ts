import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../../gateway/app.ts';
import { Cors } from '../../../gateway/http/cors.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { type HttpServer, httpLimits, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { createLogger } from '../../../runtime/log.ts';
import { Echo } from './echo-endpoint.ts';

/** A request that the fast HTTP parser does not accept. Therefore node:http takes over the connection. */
const OTHER = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';

/**
 * Connects to a loopback port, and writes the pieces one by one. Waits for the answer to a piece before it writes the
 * next piece. Ends the connection after `answers` answers. Resolves with all received data.
 */
function talk(port: number, pieces: Buffer[], answers: number): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const next = (): void => {
      const piece = pieces.shift();
      if (piece) socket.write(piece);
    };
    socket.on('connect', next);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const said = wholeAnswers(Buffer.concat(chunks).toString('latin1'));
      if (said === answers) socket.end();
      else if (said > 0) next();
    });
    // Ignores connection errors. The server resets the TCP connection if data arrive after the last request.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

/** A parsed HTTP answer. `line` is its status line. */
interface Said {
  line: string;
  headers: string[];
  body: string;
}

/** Returns the number of HTTP answers in received data, or 0 if the last answer is incomplete. */
function wholeAnswers(text: string): number {
  let answers = 0;
  for (let at = 0; at < text.length; answers++) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return 0;
    at = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(at, end))?.[1] ?? 0);
    if (at > text.length) return 0;
  }
  return answers;
}

/** Parses the HTTP answers in received data. Leaves out headers and values that differ in each answer. */
function answersIn(text: string): Said[] {
  const answers: Said[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, `no head in ${JSON.stringify(rest.slice(0, 80))}`);
    const [line = '', ...headers] = rest.slice(0, end).split('\r\n');
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(rest.slice(0, end))?.[1] ?? 0);
    const bytes = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1');
    const id = /"request_id":"[^"]*"/;
    const gzipped = headers.includes('Content-Encoding: gzip');
    const body = (gzipped ? gunzipSync(bytes) : bytes).toString('latin1').replace(id, '');
    // Ignores Content-Length, because the random request id in the body changes the length of the compressed body.
    const steady = headers.filter(header => !/^(Date|X-Request-Id|Content-Length): /i.test(header));
    answers.push({ line, headers: steady.sort(), body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/**
 * Starts a server for all tests of a file. POST /v1/post and GET /v1/get return the content of the request. The
 * returned `post` and `get` are the endpoints of these two paths.
 */
export function withEchoServer() {
  const post = new Echo('POST');
  const get = new Echo('GET');
  let server: HttpServer;

  before(async () => {
    const app = createApp(
      [
        { route: { rpc: 'a', method: 'POST', path: '/v1/post' }, endpoint: post },
        { route: { rpc: 'b', method: 'GET', path: '/v1/get' }, endpoint: get },
      ],
      {
        log: createLogger('gateway', 'silent'),
        metrics: new Metrics(),
        cors: new Cors(['https://a.example']),
        paused: new PausedConnections(),
        draining: () => false,
      },
    );
    const hasty = {
      ...httpLimits,
      headersTimeout: 60,
      requestTimeout: 60,
      keepAliveTimeout: 60,
      connectionsCheckingInterval: 20,
    };
    server = await listenHttp({ host: '127.0.0.1', port: 0 }, app.listener, hasty, app.plain);
  });
  after(() => server.close(1000));

  /**
   * Sends the same request twice. On the first connection, the fast HTTP parser can read the request. On the second
   * connection, an earlier request makes sure that node:http reads it. Returns the answers of both connections.
   */
  async function bothRoads(request: Buffer, answers = 1): Promise<{ plain: Said[]; node: Said[] }> {
    const { port } = server.endpoint;
    const [whole, behind] = await Promise.all([
      talk(port, [request], answers),
      talk(port, [Buffer.from(OTHER), request], answers + 1),
    ]);
    return { plain: answersIn(whole), node: answersIn(behind).slice(1) };
  }

  return { post, get, bothRoads };
}

const body = '{"servers":[]}';
/** Returns a POST request. `headers`: header lines without Content-Length. `sent`: the body. */
export const postOf = (headers: string, sent = body): string =>
  `POST /v1/post HTTP/1.1\r\n${headers}Content-Length: ${sent.length}\r\n\r\n${sent}`;
/** Header lines of a usual request, without Content-Length. */
export const USUAL =
  'Host: x\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nX-API-Token: a b\r\nX-Request-Id: r1\r\n';
