import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPlainHead } from '../../../gateway/http/plain-request.ts';
import { mutate } from '../../fuzz/mutations.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { postOf, USUAL, withEchoServer } from './both-parsers.ts';

const { post, get, bothRoads } = withEchoServer();

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

describe('the fast HTTP parser answers in the same way as node:http if it reads', () => {
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

test('a randomly mutated request gets the same answer from the fast HTTP parser and from node:http', async () => {
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
