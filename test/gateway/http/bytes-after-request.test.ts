import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { createExchange } from '../../../gateway/http/exchange.ts';
import { sendReply } from '../../../gateway/http/send.ts';
import { listenHttp } from '../../../gateway/http-server.ts';

describe('a server that receives garbage after a request', () => {
  /**
   * Sends a request, followed by bytes that are not HTTP. The server answers the request with a body of `bytes` bytes.
   * Returns all received data.
   */
  async function answersOf(bytes: number): Promise<string> {
    const server = await listenHttp({ host: '127.0.0.1', port: 0 }, (request, response) => {
      const exchange = createExchange(request);
      exchange.headers['X-Answer'] = 'first';
      sendReply(exchange, response, { status: 200, body: Buffer.alloc(bytes, 'x') });
    });
    try {
      const socket = connect(server.endpoint.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', chunk => chunks.push(chunk));
      // Ignores connection errors. The server can reset the TCP connection because it closes the connection early.
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\nnonsense\r\n\r\n');
      await once(socket, 'close');
      return Buffer.concat(chunks).toString('latin1');
    } finally {
      await server.close(1000);
    }
  }

  test('sends the answer to the request, and then an error reply', async () => {
    const heads = (await answersOf(100)).match(/HTTP\/1\.1 \d+/g);
    assert.deepEqual(heads, ['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  test('closes the connection without an error reply if the answer to the request is not yet sent completely', async () => {
    const bytes = 64 * 1024 * 1024;
    const answers = await answersOf(bytes);
    assert.ok(answers.length < bytes, 'the rest of the answer was given up');
    assert.doesNotMatch(answers, /HTTP\/1\.1 400/);
  });
});
