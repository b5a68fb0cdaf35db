import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postOf, USUAL, withEchoServer } from './both-parsers.ts';

const { post, get, bothRoads } = withEchoServer();

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

describe('the fast HTTP parser hands over to node:http', () => {
  for (const [name, request] of OTHERS) {
    test(name, async () => {
      const before = post.plain + get.plain;
      const { plain, node } = await bothRoads(Buffer.from(request, 'latin1'));
      assert.deepEqual(plain, node);
      assert.equal(post.plain + get.plain, before);
    });
  }
});

test('the fast HTTP parser leaves two pipelined requests to node:http, which answers both', async () => {
  const before = post.plain;
  const { plain, node } = await bothRoads(Buffer.from(postOf(USUAL) + postOf(USUAL)), 2);
  assert.deepEqual(plain, node);
  assert.equal(plain.length, 2);
  assert.equal(post.plain, before);
});
