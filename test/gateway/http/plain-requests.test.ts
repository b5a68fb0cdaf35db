import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../../gateway/app.ts';
import { Cors } from '../../../gateway/http/cors.ts';
import type { Exchange, Reply } from '../../../gateway/http/exchange.ts';
import type { Endpoint } from '../../../gateway/http/listener.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { PlainRequest, readPlainHead } from '../../../gateway/http/plain-request.ts';
import { type HttpServer, httpLimits, listenHttp } from '../../../gateway/http-server.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { createLogger } from '../../../runtime/log.ts';
import { mutate } from '../../fuzz/mutations.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const HEADERS = [
  'accept-encoding',
  'content-length',
  'content-type',
  'host',
  'if-modified-since',
  'if-none-match',
  'origin',
  'prefer',
  'referer',
  'traceparent',
  'x-api-token',
  'x-api-token-email',
  'x-api-token-type',
  'x-forwarded-for',
  'x-request-id',
] as const;

/** An endpoint that returns the content of the request. */
class Echo implements Endpoint {
  readonly name = 'echo';
  readonly wrongMethod = 'POST_1';
  readonly preflights = false;
  readonly method: string;
  /** Number of requests that were answered without node:http. */
  plain = 0;

  constructor(method: string) {
    this.method = method;
  }

  acceptsPlain({ headers }: PlainRequest): boolean {
    return headers['content-type'] !== 'text/plain';
  }

  async answer({ request }: Exchange): Promise<Reply> {
    const chunks: Buffer[] = [];
    if (request instanceof PlainRequest) {
      this.plain++;
      chunks.push(request.body);
    } else {
      for await (const chunk of request) chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString('latin1');
    const asked = HEADERS.map(name => [name, request.headers[name] ?? null]);
    return { status: 200, body: Buffer.from(JSON.stringify({ method: request.method, asked, body })) };
  }
}

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

const OTHER = 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n';

/**
 * Writes the pieces one by one, each after the answer to the previous piece. Resolves with all received answers when
 * the connection has ended, or when the number of answers is `answers`.
 */
function talk(pieces: Buffer[], answers: number): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(server.endpoint.port, '127.0.0.1');
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
    // The server resets the connection if data arrives after the last request.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

interface Said {
  line: string;
  headers: string[];
  body: string;
}

/** Returns the number of answers in a text, or 0 if the last answer is incomplete. */
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

/** Returns the answers in a text, without the headers that differ in every answer. */
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
    // Content-Length is left out because the random request id changes the length of the compressed body.
    const steady = headers.filter(header => !/^(Date|X-Request-Id|Content-Length): /i.test(header));
    answers.push({ line, headers: steady.sort(), body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/**
 * Sends the same request twice: on a new connection, where it can be answered without node:http, and after a request
 * that makes node:http take over the connection. Returns both answers.
 */
async function bothRoads(request: Buffer, answers = 1): Promise<{ plain: Said[]; node: Said[] }> {
  const [whole, behind] = await Promise.all([
    talk([request], answers),
    talk([Buffer.from(OTHER), request], answers + 1),
  ]);
  return { plain: answersIn(whole), node: answersIn(behind).slice(1) };
}

const body = '{"servers":[]}';
const postOf = (headers: string, sent = body): string =>
  `POST /v1/post HTTP/1.1\r\n${headers}Content-Length: ${sent.length}\r\n\r\n${sent}`;
const USUAL =
  'Host: x\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nX-API-Token: a b\r\nX-Request-Id: r1\r\n';

const PLAIN: [name: string, request: string][] = [
  ['a POST with the usual headers', postOf(USUAL)],
  ['a GET with the usual headers', 'GET /v1/get HTTP/1.1\r\nHost: x\r\n\r\n'],
  [
    'a request with header names in mixed case and space around header values',
    postOf('HOST:x\r\ncontent-TYPE: \t application/json \t\r\n'),
  ],
  ['a request with empty header values', postOf('Host:\r\nX-API-Token:\r\nPrefer: \r\n')],
  [
    'a request with headers that gsq does not use',
    postOf('Host: x\r\nX-Other: {}"\\\r\nX-Other: 2\r\nUser-Agent: y\r\n'),
  ],
  ['a request with Connection: Keep-Alive', postOf('Host: x\r\nConnection: Keep-Alive\r\n')],
  ['a request from an allowed CORS origin', postOf('Host: x\r\nOrigin: https://a.example\r\n')],
  ['a request from a CORS origin that is not allowed', postOf('Host: x\r\nOrigin: https://b.example\r\n')],
  ['a request that refuses gzip', postOf('Host: x\r\nAccept-Encoding: identity\r\n')],
  [
    'a request whose body contains binary data and HTTP text',
    postOf(USUAL, '\u0000\u00ff\r\n\r\nGET / HTTP/1.1\r\n\r\n'),
  ],
];

const OTHERS: [name: string, request: string][] = [
  ['a request without Host', postOf('')],
  ['a request with two Host headers', postOf('Host: x\r\nHost: x\r\n')],
  ['a request with a repeated header', postOf('Host: x\r\nPrefer: wait=1\r\nPrefer: wait=2\r\n')],
  ['a request with a repeated credential header', postOf('Host: x\r\nX-API-Token: a\r\nX-Api-Token: b\r\n')],
  ['a request with a query string', `POST /v1/post?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`],
  ['a request with an unsupported method', `PUT /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`],
  ['a request for an unknown path', `POST /v1/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`],
  ['a request in HTTP/1.0', `GET /v1/get HTTP/1.0\r\nHost: x\r\n\r\n`],
  [
    'a request with a chunked body',
    `POST /v1/post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
  ],
  [
    'a request with a chunked body and a Content-Length',
    postOf('Host: x\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  ],
  ['a request with two Content-Length headers', postOf('Host: x\r\nContent-Length: 3\r\n')],
  [
    'a request with a sign in Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na',
  ],
  [
    'a request with many digits in Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: 00000001\r\n\r\na',
  ],
  ['a request with an empty Content-Length', 'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n'],
  ['a GET with a body', 'GET /v1/get HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na'],
  ['a request with Connection: close', postOf('Host: x\r\nConnection: close\r\n')],
  ['a request with an Upgrade header', postOf('Host: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n')],
  ['a request with an Expect header', postOf('Host: x\r\nExpect: 100-continue\r\n')],
  ['a request with a Content-Encoding header', postOf('Host: x\r\nContent-Encoding: gzip\r\n')],
  ['a request with a folded header line', postOf('Host: x\r\nPrefer: a\r\n b\r\n')],
  ['a request with a space before the colon of a header', postOf('Host: x\r\nPrefer : a\r\n')],
  ['a request with a header line without a colon', postOf('Host: x\r\nPrefer\r\n')],
  ['a request with a line feed without a carriage return', postOf('Host: x\nPrefer: a\r\n')],
  ['a request with a carriage return without a line feed', postOf('Host: x\r\nPrefer: a\rb\r\n')],
  ['a request with a control character in a header', postOf('Host: x\r\nPrefer: a\u0001\r\n')],
  ['a request with a byte that is not ASCII in a header', postOf('Host: x\r\nPrefer: \u00fc\r\n')],
  ['a request with an underscore in a header name', postOf('Host: x\r\nX_Api_Token: a\r\n__proto__: a\r\n')],
  ['a request with over a hundred headers', postOf(`Host: x\r\n${'X: y\r\n'.repeat(101)}`)],
  ['a request with a head of 9 KiB', postOf(`Host: x\r\nX: ${'y'.repeat(9 * 1024)}\r\n`)],
  [
    'a request that its endpoint accepts only from node:http',
    postOf('Host: x\r\nContent-Type: text/plain\r\n'),
  ],
  ['a request after an empty line', `\r\n${postOf(USUAL)}`],
  ['a request whose body is incomplete', 'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ['a request whose head is incomplete', 'POST /v1/post HTTP/1.1\r\nHost: x\r\n'],
  ['a request whose request line is incomplete', 'POST /v1/po'],
];

describe('a simple request, parsed without node:http, gets the same answer as from node:http', () => {
  for (const [name, request] of PLAIN) {
    test(name, async () => {
      const before = post.plain + get.plain;
      const { plain, node } = await bothRoads(Buffer.from(request, 'latin1'));
      assert.deepEqual(plain, node);
      assert.equal(plain[0]?.line, 'HTTP/1.1 200 OK');
      assert.equal(post.plain + get.plain, before + 1, 'one of the two came without node:http');
    });
  }
});

describe('a request that is too unusual for the fast parser is parsed and answered by node:http', () => {
  for (const [name, request] of OTHERS) {
    test(name, async () => {
      const before = post.plain + get.plain;
      const { plain, node } = await bothRoads(Buffer.from(request, 'latin1'));
      assert.deepEqual(plain, node);
      assert.equal(post.plain + get.plain, before);
    });
  }
});

test('two pipelined requests are both answered by node:http', async () => {
  const before = post.plain;
  const { plain, node } = await bothRoads(Buffer.from(postOf(USUAL) + postOf(USUAL)), 2);
  assert.deepEqual(plain, node);
  assert.equal(plain.length, 2);
  assert.equal(post.plain, before);
});

test('a randomly mutated request that is still parsed without node:http gets the same answer as from node:http', async () => {
  const random = randomNumbers(20260);
  const requests = PLAIN.map(([, request]) => Buffer.from(request, 'latin1'));
  let plainOnes = 0;
  for (let round = 0; round < 8000; round++) {
    const changed = mutate(requests[round % requests.length] ?? Buffer.alloc(0), random);
    const lineEnd = changed.indexOf('\r\n') + 2;
    if (!/^(POST \/v1\/post|GET \/v1\/get) HTTP\/1\.1\r\n$/.test(changed.toString('latin1', 0, lineEnd)))
      continue;
    const head = readPlainHead(changed.toString('latin1', 0, changed.indexOf(' ')), changed, lineEnd);
    if (head === undefined || head.length + head.bodyLength !== changed.length) continue;
    plainOnes++;
    const { plain, node } = await bothRoads(changed);
    assert.deepEqual(plain, node, JSON.stringify(changed.toString('latin1')));
  }
  assert.ok(plainOnes > 200, `${plainOnes} of them are still plain`);
});
