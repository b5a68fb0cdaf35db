import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../../gateway/app.ts';
import { AnswerLog } from '../../../gateway/http/answer-log.ts';
import { Cors } from '../../../gateway/http/cors.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { type HttpLimits, type HttpServer, httpLimits, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { limitKeyOf } from '../../../net/network.ts';
import { AccessLog } from '../../../runtime/access-log.ts';
import { createLogger } from '../../../runtime/log.ts';
import { Echo } from './echo-endpoint.ts';

/** A parsed HTTP answer. `line` is its status line. */
interface Said {
  line: string;
  headers: string[];
  body: string;
}

/**
 * Tells when the client closes its sending side. A number: after it has received this number of answers. `with the last
 * bytes`: directly after its last bytes. `never`: not at all, so the server must close the connection.
 */
export type ClientEnd = number | 'with the last bytes' | 'never';

/** Longest time that the test waits for the server to close a connection, in milliseconds. */
const HANG_MS = 20_000;

/**
 * Waits until the server has read the written bytes. A few turns of the event loop are enough, because client and
 * server run in the same process.
 */
async function serverReads(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
}

/**
 * Sends pieces of requests on a new connection. The server reads each piece separately. When the connection closes,
 * resolves with all received data.
 */
function talk(
  port: number,
  pieces: readonly Buffer[],
  end: ClientEnd,
  localAddress: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection is still open; received ${JSON.stringify(text())}`));
    }, HANG_MS);
    const chunks: Buffer[] = [];
    const text = (): string => Buffer.concat(chunks).toString('latin1');
    socket.on('connect', async () => {
      for (const [i, piece] of pieces.entries()) {
        if (i > 0 || pieces.length > 1) await serverReads();
        socket.write(piece);
      }
      if (end === 'with the last bytes') socket.end();
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (typeof end === 'number' && wholeAnswers(text()) === end) socket.end();
    });
    // Ignores connection errors. The server resets the TCP connection if data arrive after the last request.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(limit);
      resolve(text());
    });
  });
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

/**
 * Parses the HTTP answers in received data. Leaves out the header lines that match `varying`, and the request id in the
 * body.
 */
function answersIn(text: string, varying: RegExp): Said[] {
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
    answers.push({ line, headers: headers.filter(header => !varying.test(header)).sort(), body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/**
 * Response headers that the test does not compare. Content-Length varies with the random request id in the compressed
 * body.
 */
const VARYING = /^(Date|X-Request-Id|Content-Length): /i;
/**
 * Response headers that the test does not compare if the client closes its sending side directly after its last
 * bytes. Connection and Keep-Alive depend on the moment at which the server notices this.
 */
const VARYING_AT_END = /^(Date|X-Request-Id|Content-Length|Connection|Keep-Alive): /i;

/**
 * Two servers with the same two `Echo` endpoints. The first server reads requests with the fast HTTP parser if it can.
 * The second server uses only node:http.
 */
export class TwoReaders {
  readonly post: Echo;
  readonly get: Echo;
  readonly #servers: readonly [HttpServer, HttpServer];

  private constructor(post: Echo, get: Echo, servers: [HttpServer, HttpServer]) {
    this.post = post;
    this.get = get;
    this.#servers = servers;
  }

  static async start(limits: Partial<HttpLimits> = {}): Promise<TwoReaders> {
    const post = new Echo('POST');
    const get = new Echo('GET');
    const app = createApp(
      [
        { route: { method: 'POST', path: '/v1/post' }, endpoint: post },
        { route: { method: 'GET', path: '/v1/get' }, endpoint: get },
      ],
      {
        log: createLogger('gateway', 'silent'),
        answers: new AnswerLog(new AccessLog(createLogger('gateway', 'silent'), 0, limitKeyOf), 0),
        metrics: new Metrics(),
        cors: new Cors(['https://a.example']),
        paused: new PausedConnections(),
        draining: () => false,
      },
    );
    const listen = (routes: typeof app.plain) =>
      listenHttp({ host: '127.0.0.1', port: 0 }, app.listener, { ...httpLimits, ...limits }, routes);
    return new TwoReaders(post, get, [await listen(app.plain), await listen([])]);
  }

  /** Sends the same pieces of requests to both servers of `TwoReaders`. Returns the answers of both servers. */
  async answersOf(
    pieces: readonly Buffer[],
    end: ClientEnd,
    localAddress = '127.0.0.1',
  ): Promise<{ plain: Said[]; node: Said[] }> {
    const [plain = [], node = []] = await Promise.all(
      this.#servers.map(async ({ endpoint: { port } }) => {
        const text = await talk(port, pieces, end, localAddress);
        return answersIn(text, end === 'with the last bytes' ? VARYING_AT_END : VARYING);
      }),
    );
    return { plain, node };
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close(1000);
  }
}
