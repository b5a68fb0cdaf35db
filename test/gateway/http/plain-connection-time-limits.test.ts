import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressCap } from '../../../net/address-cap.ts';
import { closeAfterEachTest, echo, Line, REQUEST, serve } from './plain-server.ts';

closeAfterEachTest();

describe('the fast HTTP parser with time limits', { timeout: 20_000 }, () => {
  const hasty = {
    keepAliveTimeout: 60,
    connectionsCheckingInterval: 20,
    headersTimeout: 60,
    requestTimeout: 60,
  };

  test('closes a connection on which no further request arrives', async () => {
    await serve(echo, hasty);
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    await line.closed;
    assert.match(line.received, /plain a1$/);
  });

  for (const [name, text] of [
    ['no byte of a request', ''],
    ['only half of a request head', 'POST /echo HTTP/1.1\r\nHo'],
    ['only half of a request body', `${REQUEST}a`],
  ] as const) {
    test(`answers 408 to an incomplete request at the end of the time limit: ${name}`, async () => {
      await serve(echo, hasty);
      const line = new Line();
      line.socket.write(text);
      await line.closed;
      assert.match(line.received, /^HTTP\/1\.1 408 /);
    });
  }

  test('does not close a connection while the server takes long to answer', async () => {
    let answer = (): void => {};
    await serve((request, response) => {
      answer = () => echo(request, response);
    }, hasty);
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    // Opens a second connection, and waits until the server closes it because it is idle. The first connection must
    // stay open, because it still waits for an answer.
    const other = new Line();
    await other.closed;
    answer();
    await line.until(/plain a1$/);
  });

  test('does not treat a connection as idle while the caller still reads the answer', async () => {
    const bytes = Buffer.alloc(64 * 1024 * 1024);
    let answered = (): void => {};
    const sending = new Promise<void>(resolve => {
      answered = resolve;
    });
    await serve((request, response) => {
      if (request.body.toString() !== 'a1') return echo(request, response);
      response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      answered();
    }, hasty);
    const line = new Line();
    line.socket.pause();
    line.socket.write(`${REQUEST}a1`);
    await sending;
    // Opens a second connection, and waits until the server closes it because it is idle. The first connection must
    // stay open, because its caller has not read the answer yet.
    const other = new Line();
    other.socket.write(`${REQUEST}a2`);
    await other.closed;
    line.socket.resume();
    await line.closed;
    assert.ok(line.received.length > bytes.length);
  });

  test('closes a new connection if its IP address already has the maximum number of connections', async () => {
    await serve(echo, { perAddress: new AddressCap(1, () => true) });
    const first = new Line();
    first.socket.write(`${REQUEST}a1`);
    await first.until(/plain a1$/);
    await new Line().closed;
    first.socket.destroy();
    await first.closed;
  });
});
