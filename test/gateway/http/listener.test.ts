import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { AnswerLog } from '../../../gateway/http/answer-log.ts';
import { Cors } from '../../../gateway/http/cors.ts';
import { CallerGone } from '../../../gateway/http/error-reply.ts';
import type { Reply } from '../../../gateway/http/exchange.ts';
import { listenerOf } from '../../../gateway/http/listener.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { Metrics } from '../../../gateway/ops/metrics.ts';
import { limitKeyOf } from '../../../net/network.ts';
import { AccessLog } from '../../../runtime/access-log.ts';
import { createLogger } from '../../../runtime/log.ts';
import { type Answer, ask, type Question } from '../ask.ts';

function listenerFor(answer: () => Reply | Promise<Reply>): RequestListener {
  return listenerOf(
    {
      name: 'games',
      method: 'GET',
      wrongMethod: 'GET_1',
      preflights: false,
      acceptsPlain: () => false,
      answer,
    },
    {
      log: createLogger('gateway', 'silent'),
      answers: new AnswerLog(new AccessLog(createLogger('gateway', 'silent'), 0, limitKeyOf), 0),
      metrics: new Metrics(),
      cors: new Cors([]),
      paused: new PausedConnections(),
      draining: () => false,
    },
  );
}

/** Starts a server with this listener, sends it one request, and returns the answer. */
async function askOf(listener: RequestListener, question: Question = {}): Promise<Answer> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await ask(`127.0.0.1:${port}`, question);
  } finally {
    server.close();
  }
}

const body = Buffer.from('{"a":1}');

describe('the HTTP listener of the gateway', () => {
  test('sends the replies to simultaneous requests in batches of at most 32', async () => {
    const listener = listenerFor(() => ({ status: 200, body }));
    const responses: ServerResponse[] = [];
    const endedAfter: number[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      listener(request, response);
      endedAfter.push(responses.filter(({ writableEnded }) => writableEnded).length);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    // Sends all requests in one write. The server then reads all of them in one event-loop turn.
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40));
    let received = '';
    for await (const chunk of socket) {
      received += chunk.toString('latin1');
      if (received.split('HTTP/1.1 200').length > 40) break;
    }
    server.close();
    assert.deepEqual(
      endedAfter,
      Array.from({ length: 40 }, (_, i) => (i < 31 ? 0 : 32)),
    );
  });

  test('accepts a handler function that returns a promise of its reply', async () => {
    const answer = await askOf(listenerFor(async () => ({ status: 200, body })));
    assert.deepEqual(answer.json, { a: 1 });
  });

  for (const [when, answer] of [
    [
      'throws an error',
      () => {
        throw new Error('a secret');
      },
    ],
    ['returns a promise that rejects', () => Promise.reject(new Error('a secret'))],
  ] as const) {
    test(`answers 500 INTERNAL_1 without internal details if the handler function ${when}`, async () => {
      const { status, json, text } = await askOf(listenerFor(answer));
      assert.equal(status, 500);
      assert.equal(json.error, 'INTERNAL_1');
      assert.doesNotMatch(text, /secret/);
    });
  }

  test('closes the connection if the handler function rejects with CallerGone (the caller no longer waits)', {
    timeout: 20_000,
  }, async t => {
    const server = createServer(listenerFor(() => Promise.reject(new CallerGone()))).listen(0, '127.0.0.1');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
  });

  test('closes the connection if a reply cannot be sent', async () => {
    const unsendable = { status: 200, headers: { ETag: 'line\nbreak' }, body };
    await assert.rejects(askOf(listenerFor(() => unsendable)), { code: 'ECONNRESET' });
    await assert.rejects(
      askOf(listenerFor(() => ({ status: 200, body, gzipped: () => Promise.reject(new Error('no')) }))),
      { code: 'ECONNRESET' },
    );
  });

  describe('for a reply with the function `gzipped`', () => {
    let made = 0;
    const gzipped = (): Buffer => {
      made++;
      return gzipSync(body, { level: 9 });
    };

    test('sends the bytes that gzipped() returns if the caller accepts gzip', async () => {
      for (const form of [gzipped, async () => gzipped()]) {
        made = 0;
        const answer = await askOf(listenerFor(() => ({ status: 200, body, gzipped: form })));
        assert.equal(answer.headers['content-encoding'], 'gzip');
        assert.equal(answer.headers['content-length'], String(answer.bytes.length));
        assert.deepEqual(answer.bytes, gzipSync(body, { level: 9 }));
        assert.equal(made, 1);
      }
    });

    test('does not call gzipped() if the caller refuses gzip', async () => {
      made = 0;
      const identity = { headers: { 'Accept-Encoding': 'identity' } };
      const plain = await askOf(
        listenerFor(() => ({ status: 200, body, gzipped })),
        identity,
      );
      assert.deepEqual(plain.bytes, body);
      const unchanged = await askOf(listenerFor(() => ({ status: 304, gzipped })));
      assert.equal(unchanged.status, 304);
      assert.equal(made, 0);
    });
  });

  test('sends the complete body of a large reply, which a worker thread compresses', async () => {
    const large = Buffer.from(JSON.stringify({ text: 'x'.repeat(1_000_000) }));
    const answer = await askOf(listenerFor(() => ({ status: 200, body: large })));
    assert.equal(answer.text, large.toString());
  });
});
