import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { createExchange } from '../../../gateway/http/exchange.ts';
import { sendReply } from '../../../gateway/http/send.ts';
import { listenHttp } from '../../../gateway/http-server.ts';

const BYTES = 64 * 1024 * 1024;

describe('an HTTP server that receives invalid bytes', { timeout: 60_000 }, () => {
  /**
   * Sends a request, and sends `garbage` when the answer begins. Returns all received data. The body of the answer is
   * so large (64 MiB) that the server is still sending it when `garbage` arrives.
   */
  async function answersOf(request: string, garbage = ''): Promise<string> {
    const server = await listenHttp({ host: '127.0.0.1', port: 0 }, (request, response) => {
      sendReply(createExchange(request), response, { status: 200, body: Buffer.alloc(BYTES, 'x') });
    });
    try {
      const socket = connect(server.endpoint.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', chunk => chunks.push(chunk));
      socket.once('data', () => socket.write(garbage));
      // Ignores connection errors. If the server closes the connection early, it can reset the TCP connection.
      socket.on('error', () => {});
      socket.write(request);
      await once(socket, 'close');
      return Buffer.concat(chunks).toString('latin1');
    } finally {
      await server.close(1000);
    }
  }

  test('first answers the valid request that came before the invalid bytes, and then sends an error reply', async () => {
    const answers = await answersOf(
      'GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\nnonsense\r\n\r\n',
    );
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400']);
    assert.ok(answers.length > BYTES);
  });

  test('sends no error reply if the invalid bytes are in a request body, and the answer to this request has already begun', async () => {
    const head =
      'POST / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answers = await answersOf(head, 'nonsense\r\n');
    assert.ok(answers.length < BYTES, 'the rest of the answer was given up');
    assert.doesNotMatch(answers, /HTTP\/1\.1 400/);
  });
});
