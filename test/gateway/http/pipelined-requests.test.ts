import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Response } from '../../../gateway/http/exchange.ts';
import { HeldRequests } from './held-requests.ts';
import { closeAfterEachTest, echo, Line, OTHER, REQUEST, roundTrip, serve } from './plain-server.ts';
import { answersIn } from './received-answers.ts';

closeAfterEachTest();

describe('pipelined requests', { timeout: 20_000 }, () => {
  for (const [where, before] of [
    ['on a new connection', ''],
    ['behind a request that the fast HTTP parser reads', `${REQUEST}a1`],
  ] as const) {
    test(`are handled one after the other, in their order (${where})`, async () => {
      const held = new HeldRequests();
      await serve(echo, {}, held.listener);
      const line = new Line();
      line.socket.write(before + OTHER.repeat(3));
      for (const [i, text] of ['first', 'second', 'third'].entries()) {
        await held.until(i + 1);
        await roundTrip();
        assert.equal(held.all.length, i + 1);
        held.answer(i, text);
        await line.until(new RegExp(`${text}$`));
      }
      assert.deepEqual(answersIn(line.received).slice(-6), [
        ...['HTTP/1.1 200', 'first', 'HTTP/1.1 200', 'second', 'HTTP/1.1 200', 'third'],
      ]);
    });
  }

  for (const [reader, first, second] of [
    ['the fast HTTP parser', `${REQUEST}a1`, `${REQUEST}a2`],
    ['node:http', 'POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na1', OTHER],
  ] as const) {
    test(`are not read until 2 ms after the answer to the previous request (parser: ${reader})`, async t => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      let answered = 0;
      await serve(echo, {}, (_, response) => void response.end(`node ${++answered}`));
      const line = new Line();
      line.socket.write(first + second);
      await line.until(/(?:plain a1|node 1)$/);
      t.mock.timers.tick(1);
      await roundTrip();
      assert.match(line.received, /(?:plain a1|node 1)$/);
      t.mock.timers.tick(1);
      await line.until(/(?:plain a2|node 2)$/);
    });
  }

  test('stay unread until the earlier requests are answered, so the caller cannot send more than the socket buffers hold', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    // Sends more bytes than the buffers of the two sockets (client and server) can store.
    line.socket.write(Buffer.from(OTHER.repeat(400_000)));
    await held.until(1);
    await roundTrip();
    const [first] = held.all;
    assert.equal(first?.request.socket.isPaused(), true);
    assert.equal(held.all.length, 1);
    assert.ok(line.socket.writableLength > 0);
  });

  test('are answered by the fast HTTP parser one after the other', async () => {
    const held: { text: string; response: Response }[] = [];
    let came = (): void => {};
    await serve(({ body }, response) => {
      held.push({ text: body.toString(), response });
      came();
    });
    const line = new Line();
    const arrived = (): Promise<void> =>
      new Promise(resolve => {
        came = resolve;
      });
    let next = arrived();
    line.socket.write(`${REQUEST}a1${REQUEST}a2`);
    await next;
    line.socket.write(`${REQUEST}a3`);
    for (const text of ['a1', 'a2', 'a3']) {
      assert.deepEqual(held.map(one => one.text).at(-1), text);
      next = arrived();
      held.at(-1)?.response.writeHead(200, { 'Content-Length': '2' }).end(Buffer.from(text));
      if (text !== 'a3') await next;
    }
    await line.until(/a1HTTP.*a2HTTP.*a3$/s);
  });

  test('are answered in their order if one of them is a CONNECT request', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    line.socket.write(`${OTHER}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await held.until(1);
    await roundTrip();
    assert.equal(held.all.length, 1);
    held.answer(0, 'first');
    await held.until(2);
    held.answer(1, 'second');
    await line.closed;
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first', 'HTTP/1.1 200', 'second']);
  });

  test('are not handled after a request with Connection: close', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    line.socket.write(`GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${OTHER}`);
    await held.until(1);
    held.answer(0, 'first');
    await line.closed;
    assert.equal(held.all.length, 1);
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first']);
  });
});

describe('a caller that closes its half of the connection after its last request', {
  timeout: 20_000,
}, () => {
  test('gets the answers to all its requests (parser: node:http)', async () => {
    const held = new HeldRequests();
    await serve(echo, {}, held.listener);
    const line = new Line();
    line.socket.end(OTHER.repeat(2));
    await held.until(1);
    await roundTrip();
    held.answer(0, 'first');
    await held.until(2);
    held.answer(1, 'second');
    await line.closed;
    assert.deepEqual(answersIn(line.received), ['HTTP/1.1 200', 'first', 'HTTP/1.1 200', 'second']);
  });

  test('gets both answers to pipelined requests (parser: fast HTTP parser)', async () => {
    const held: Response[] = [];
    let came = (): void => {};
    const arrived = new Promise<void>(resolve => {
      came = resolve;
    });
    await serve((request, response) => {
      if (held.length > 0) return echo(request, response);
      held.push(response);
      came();
    });
    const line = new Line();
    line.socket.write(`${REQUEST}a1`);
    await arrived;
    line.socket.end(`${REQUEST}ok`);
    const other = new Line();
    other.socket.write(`${REQUEST}ok`);
    await other.until(/plain ok$/);
    held[0]?.writeHead(200, { 'Content-Length': '5' }).end(Buffer.from('first'));
    await line.closed;
    assert.match(line.received, /first.*plain ok$/s);
  });
});
