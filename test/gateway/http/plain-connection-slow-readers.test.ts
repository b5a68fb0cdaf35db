import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { createExchange } from '../../../gateway/http/exchange.ts';
import { PausedConnections } from '../../../gateway/http/paused-connections.ts';
import { closeAfterEachTest, echo, Line, REQUEST, serve } from './plain-server.ts';

closeAfterEachTest();

describe('the fast HTTP parser with callers that read slowly or not at all', { timeout: 20_000 }, () => {
  for (const [connection, headers] of [
    ['a connection', {}],
    ['a connection that closes after the answer', { Connection: 'close' }],
  ] as const) {
    test(`destroys ${connection} if the caller does not read its answer`, async () => {
      const sizes: number[] = [];
      let gone: Promise<unknown> | undefined;
      await serve(
        ({ socket }, response) => {
          gone ??= new Promise(resolve => socket.on('close', resolve));
          sizes.push(1);
          const bytes = Buffer.alloc(64 * 1024 * 1024);
          response.writeHead(200, { 'Content-Length': String(bytes.length), ...headers }).end(bytes);
        },
        { timeout: 100 },
      );
      const line = new Line();
      line.socket.pause();
      line.socket.write(`${REQUEST}a1`);
      while (!gone) await new Promise(setImmediate);
      // Sends a second request on the same connection. The caller has not read the first answer yet, so the server must
      // not handle the second request.
      line.socket.write(`${REQUEST}a2`);
      await gone;
      assert.equal(sizes.length, 1);
    });
  }

  test('destroys a connection if the caller does not read its answer, even if the server has paused the connection', async () => {
    let tick = (): void => {};
    const paused = new PausedConnections(1, undefined, (_, onTick) => {
      tick = onTick;
      return () => {};
    });
    const bytes = Buffer.alloc(64 * 1024 * 1024);
    const bodies: string[] = [];
    let gone: Promise<unknown> | undefined;
    await serve(
      (request, response) => {
        bodies.push(request.body.toString());
        gone ??= new Promise(resolve => request.socket.on('close', resolve));
        paused.pauseConnection(createExchange(request), response, 0);
        response.writeHead(503, { 'Content-Length': String(bytes.length) }).end(bytes);
      },
      { timeout: 100 },
    );
    const line = new Line();
    line.socket.pause();
    line.socket.write(`${REQUEST}a1`);
    while (!gone) await new Promise(setImmediate);
    line.socket.write(`${REQUEST}a2`);
    // The server has paused the connection. The pause ends after ten ticks of the timer. Even then, the server must not
    // read the second request, because the caller has not read the first answer.
    for (let i = 0; i < 10; i++) tick();
    await gone;
    assert.deepEqual(bodies, ['a1']);
  });

  test('sends a large answer completely to a slow caller, and answers the next request too', async () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024, 'x');
    await serve((request, response) => {
      if (request.body.toString() !== 'a1') return echo(request, response);
      response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
    });
    const line = new Line();
    line.socket.pause();
    line.socket.write(`${REQUEST}a1`);
    await new Promise(setImmediate);
    line.socket.resume();
    while (line.received.length < bytes.length) await once(line.socket, 'data');
    line.socket.write(`${REQUEST}a2`);
    await line.until(/plain a2$/);
    const start = line.received.indexOf('\r\n\r\n') + 4;
    assert.ok(line.received.slice(start).startsWith(`${bytes.toString()}HTTP/1.1 200 OK\r\n`));
  });

  test('sends correct answers to a slow caller and to a fast caller at the same time', async () => {
    const letters = 'abcdefghij';
    const taken: boolean[] = [];
    let answered = (): void => {};
    await serve((request, response) => {
      const letter = /^[a-j]/.exec(request.body.toString())?.[0];
      if (letter === undefined) return echo(request, response);
      const bytes = Buffer.alloc(48 * 1024, letter);
      response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      taken.push(response.writableLength === 0);
      answered();
    });
    const slow = new Line();
    slow.socket.pause();
    do {
      const next = new Promise<void>(resolve => {
        answered = resolve;
      });
      slow.socket.write(`${REQUEST}${letters[taken.length % 10]}1`);
      await next;
    } while (taken.at(-1));
    const quick = new Line();
    for (let i = 10; i < 20; i++) {
      quick.socket.write(`${REQUEST}${i}`);
      await quick.until(new RegExp(`plain ${i}$`));
    }
    slow.socket.resume();
    const bodies = (): string[] => slow.received.split(/HTTP.*?\r\n\r\n/s).slice(1);
    while (bodies().length < taken.length || bodies().at(-1)?.length !== 48 * 1024)
      await once(slow.socket, 'data');
    bodies().forEach((body, i) => {
      assert.ok(body === (letters[i % 10] ?? '').repeat(48 * 1024), `answer ${i}`);
    });
  });
});
