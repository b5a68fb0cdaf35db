const body = '{"servers":[]}';

/** Returns a POST request. `headers`: header lines without Content-Length. `sent`: the body. */
const postOf = (headers: string, sent = body): string =>
  `POST /v1/post HTTP/1.1\r\n${headers}Content-Length: ${sent.length}\r\n\r\n${sent}`;

/** Header lines of a usual HTTP request, without Content-Length. */
const USUAL =
  'Host: x\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nX-API-Token: a b\r\nX-Request-Id: r1\r\n';

/** An HTTP request, and a description of it for the name of a test. */
export type Shape = readonly [name: string, request: string];

/** HTTP requests that gsq parses with its own fast parser, and not with node:http. */
export const PLAIN: readonly Shape[] = [
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

/** HTTP requests that gsq does not parse with its own fast parser, but with node:http. */
export const OTHERS: readonly Shape[] = [
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
  [
    'a request with several spaces before Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length:   1\r\n\r\na',
  ],
  [
    'a request with a tab before Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length:\t1\r\n\r\na',
  ],
  [
    'a request with a space after Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: 1 \r\n\r\na',
  ],
  [
    'a request with a tab after Content-Length',
    'POST /v1/post HTTP/1.1\r\nHost: x\r\nContent-Length: 1\t\r\n\r\na',
  ],
  ['a request with Proxy-Connection: close', postOf('Host: x\r\nProxy-Connection: close\r\n')],
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
  [
    'a request with over a thousand headers before its Content-Length',
    `${postOf(`Host: x\r\n${'X: y\r\n'.repeat(1001)}`)}GET /v1/get HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
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

const SHORT = postOf('Host: x\r\n', '{}');

/**
 * Pairs of requests that a client sends together (pipelining). The fast HTTP parser reads at least the first request of
 * each pair.
 */
export const PIPELINED: readonly Shape[] = [
  ['a short request and a usual one', SHORT + postOf(USUAL, '')],
  ['a short request and one with Expect', SHORT + postOf('Host: x\r\nExpect: 100-continue\r\n')],
  ['a short request and one with a chunked body', `${SHORT}${chunkedPost()}`],
  ['a short request and an incomplete one', `${SHORT}POST /v1/post HTTP/1.1\r\nHost: x\r\n`],
  ['a short request and bytes that are not HTTP', `${SHORT}nonsense\r\n\r\n`],
  ['a short request and a CONNECT request', `${SHORT}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a short request and one without Host', SHORT + postOf('')],
  ['a short request and an empty line', `${SHORT}\r\n`],
];

function chunkedPost(): string {
  return 'POST /v1/post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\r\n\r\n0\r\n\r\n';
}
