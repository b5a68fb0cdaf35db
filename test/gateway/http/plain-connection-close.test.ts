import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import { closeAfterEachTest, closeServer, echo, Line, REQUEST, serve } from './plain-server.ts';

closeAfterEachTest();

describe('close() of a server with the fast HTTP parser', { timeout: 20_000 }, () => {
  test('closes idle connections immediately, and busy connections after their answer', async () => {
    let answer = (): void => {};
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve((request, response) => {
      if (request.body.toString() === 'a1') return echo(request, response);
      answer = () =>
        response.writeHead(200, { 'Content-Length': '4', Connection: 'close' }).end(Buffer.from('last'));
      came();
    });
    const idle = new Line();
    idle.socket.write(`${REQUEST}a1`);
    await idle.until(/plain a1$/);
    const busy = new Line();
    busy.socket.write(`${REQUEST}a2`);
    await arrived;
    const closed = closeServer(60_000);
    await idle.closed;
    answer();
    await busy.closed;
    await closed;
    assert.match(busy.received, /last$/);
  });

  for (const [parser, request] of [
    ['the fast HTTP parser', `${REQUEST}a1`],
    ['node:http', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as const) {
    test(`sends the rest of an answer before it closes a connection of ${parser}`, async () => {
      const bytes = Buffer.alloc(64 * 1024 * 1024);
      let answered = (): void => {};
      const sending = new Promise<void>(resolve => {
        answered = resolve;
      });
      const answer = (_: unknown, response: Response): void => {
        response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
        answered();
      };
      await serve(answer, {}, answer);
      const line = new Line();
      line.socket.pause();
      line.socket.write(request);
      await sending;
      const closed = closeServer(60_000);
      line.socket.resume();
      await line.closed;
      await closed;
      assert.ok(line.received.length > bytes.length);
    });

    test(`closes an idle connection of ${parser}`, async () => {
      await serve();
      const line = new Line();
      line.socket.write(request);
      await line.until(/(plain a1|node)$/);
      await closeServer(60_000);
      await line.closed;
    });
  }

  test('waits for the rest of a request that has arrived only in part, and answers this request', async () => {
    const accepted = new Promise<Socket>(resolve => {
      const onSocket = (message: unknown): void => {
        unsubscribe('net.server.socket', onSocket);
        resolve((message as { socket: Socket }).socket);
      };
      subscribe('net.server.socket', onSocket);
    });
    await serve(echo, {}, (_, response) => response.writeHead(200, { Connection: 'close' }).end('late'));
    const line = new Line();
    line.socket.write('GET / HTTP/1.1\r\nHo');
    const socket = await accepted;
    while (socket.bytesRead === 0) await new Promise(setImmediate);
    const closed = closeServer(60_000);
    line.socket.write('st: x\r\n\r\n');
    await line.closed;
    await closed;
    assert.match(line.received, /late/);
  });

  test('destroys a connection whose request is still unanswered after the time limit of close()', async () => {
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve(() => came());
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    await arrived;
    await closeServer(10);
    await line.closed;
    assert.equal(line.received, '');
  });
});
