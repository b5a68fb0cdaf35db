import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
