import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import { HeldRequests } from './held-requests.ts';
import { closeAfterEachTest, echo, Line, OTHER, REQUEST, roundTrip, serve } from './plain-server.ts';
import { answersIn } from './received-answers.ts';

closeAfterEachTest();

describe('pipelined requests', { timeout: 20_000 }, () => {
  test('get status 400 if they are invalid HTTP, but only after the answer to the earlier valid request (parser: node:http)', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    line.socket.write(`${OTHER}nonsense\r\n\r\n`);
    await held.until(1);
    await roundTrip();
    assert.equal(line.received, '');
    held.answer(0, 'first');
    await line.closed;
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first', 'HTTP/1.1 400']);
  });

  test('get status 400 if they are invalid HTTP, but only after the answer to the earlier valid request (parser: fast HTTP parser)', async () => {
    const held: Response[] = [];
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve((_, response) => {
      held.push(response);
      came();
    });
    const line = new Line();
    line.socket.write(`${REQUEST}a1nonsense\r\n\r\n`);
    await arrived;
    held[0]?.writeHead(200, { 'Content-Length': '5' }).end(Buffer.from('first'));
    await line.closed;
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first', 'HTTP/1.1 400']);
  });

  test('with an invalid body do not prevent the answer to an earlier request', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    const head = 'POST /other HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    line.socket.write(`${OTHER}${head}3\r\nabcdef\r\n`);
    await held.until(1);
    await roundTrip();
    held.answer(0, 'first');
    await line.closed;
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first', 'HTTP/1.1 400']);
  });
});
