import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HeldRequests } from './held-requests.ts';
import { closeAfterEachTest, echo, Line, REQUEST, serve } from './plain-server.ts';

closeAfterEachTest();

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Returns the head of a request with the header `Expect: 100-continue`. A body of four bytes must follow. */
const expecting = (headers = 'Host: x\r\n'): string =>
  `POST /other HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`;

describe('a request with Expect: 100-continue', { timeout: 20_000 }, () => {
  test('gets 100 Continue when the server starts to read its body', async () => {
    await serve();
    const line = new Line();
    line.socket.write(expecting());
    await line.until(/\r\n\r\n/);
    assert.equal(line.received, CONTINUE);
    line.socket.write('body');
    await line.until(/node$/);
    assert.match(line.received, /Connection: keep-alive/i);
  });

  for (const [reader, first] of [
    ['node:http', 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the fast HTTP parser', `${REQUEST}a1`],
  ] as const) {
    test(`gets 100 Continue only after the answer to an earlier request on the same connection (read by ${reader})`, async () => {
      await serve();
      const line = new Line();
      line.socket.write(first + expecting());
      await line.until(/100 Continue\r\n\r\n/);
      assert.match(line.received, /^HTTP\/1\.1 200 .*(node|plain a1)HTTP\/1\.1 100 Continue\r\n\r\n$/s);
      line.socket.write('body');
      await line.until(/Continue\r\n\r\nHTTP\/1\.1 200 .*node$/s);
    });
  }

  test('gets no 100 Continue while an earlier request on the connection has no answer', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    line.socket.write(`GET /other HTTP/1.1\r\nHost: x\r\n\r\n${expecting()}`);
    await held.until(1);
    const other = new Line();
    other.socket.write(`${REQUEST}ok`);
    await other.until(/plain ok$/);
    assert.equal(line.received, '');
    held.answer(0, 'first');
    await held.until(2);
    assert.doesNotMatch(line.received, /100 Continue/);
    held.all[1]?.request.resume().on('data', () => {});
    await line.until(/first.*100 Continue\r\n\r\n$/s);
  });

  test('gets no 100 Continue if its body arrives before the answer to an earlier request', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, (request, response) => {
      if (request.method === 'GET') held.listener(request, response);
      else request.on('data', () => response.writeHead(200, { 'Content-Length': '4' }).end('node'));
    });
    const line = new Line();
    line.socket.write(`GET /other HTTP/1.1\r\nHost: x\r\n\r\n${expecting()}body`);
    await held.until(1);
    const other = new Line();
    other.socket.write(`${REQUEST}ok`);
    await other.until(/plain ok$/);
    held.answer(0, 'first');
    await line.until(/node$/);
    assert.match(line.received, /^HTTP\/1\.1 200 .*\r\n\r\nfirstHTTP\/1\.1 200 .*\r\n\r\nnode$/s);
    assert.doesNotMatch(line.received, /100 Continue/);
  });

  test('gets no 100 Continue if its body has already arrived, and the connection then stays open', async () => {
    await serve();
    const line = new Line();
    line.socket.write(`${expecting()}body`);
    await line.until(/node$/);
    assert.match(line.received, /^HTTP\/1\.1 200 .*Connection: keep-alive/is);
    line.socket.write(`${REQUEST}a1`);
    await line.until(/node.*node$/s);
  });

  test('gets an error answer and no 100 Continue if it is invalid', async () => {
    await serve();
    const line = new Line();
    line.socket.write(expecting(''));
    await line.until(/\r\n\r\n/);
    assert.match(line.received, /^HTTP\/1\.1 400 /);
  });

  test('gets no 100 Continue if the server answers without reading the body, and the server then closes the connection', async () => {
    await serve(echo, {}, (_, response) => response.writeHead(401, { 'Content-Length': '0' }).end());
    const line = new Line();
    line.socket.write(expecting());
    await line.closed;
    assert.match(line.received, /^HTTP\/1\.1 401 /);
    assert.match(line.received, /Connection: close/i);
    assert.doesNotMatch(line.received, /100 Continue/);
  });
});
