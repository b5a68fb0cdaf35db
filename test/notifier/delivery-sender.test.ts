import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Resolution } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { MAX_ANSWER_BYTES, type SentDelivery, sendDelivery } from '../../notifier/delivery-sender.ts';
import type { Delivery__Output } from '../../proto/generated/gsq/v1/Delivery.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const LOOPBACK = new TargetPolicy(['127.0.0.0/8']);
const NOBODY = new TargetPolicy([]);
const names: Record<string, string[]> = {
  'hook.example': ['127.0.0.1'],
  'mixed.example': ['10.0.0.1', '127.0.0.1'],
  'inside.example': ['10.0.0.1'],
};
const resolver = {
  async resolve(name: string): Promise<Resolution> {
    if (name === 'unanswered.example') return { kind: 'failed', reason: 'ETIMEOUT' };
    const addresses = names[name];
    return addresses ? { kind: 'addresses', addresses } : { kind: 'absent' };
  },
};

function send(
  url: string,
  more: Partial<Delivery__Output> = {},
  policy = LOOPBACK,
  ca?: string,
): Promise<SentDelivery> {
  const delivery: Delivery__Output = {
    leaseId: 1,
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    body: Buffer.from('{"event":"test"}'),
    timeoutMs: 10_000,
    wantsBody: false,
    ...more,
  };
  return sendDelivery(delivery, policy, { resolver, elapsed: () => 0, ...(ca !== undefined && { ca }) });
}

function ok(t: TestContext): Promise<Receiver> {
  return startReceiver(t, (_request, response) => response.end('thanks'));
}

/** Starts a TCP server on loopback that handles each connection with `serve`. Returns its URL. */
async function rawServer(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('the notifier sends the method, path, headers and body of a webhook delivery to the receiver', async t => {
  const receiver = await ok(t);
  const sent = await send(`${receiver.origin}/hook?key=1`, { method: 'PATCH' });
  assert.equal(sent.httpStatus, 200);
  assert.equal(sent.error, '');
  const [got] = receiver.received;
  assert.deepEqual(
    [got?.method, got?.path, got?.headers['webhook-id'], got?.body],
    ['PATCH', '/hook?key=1', 'msg_1', '{"event":"test"}'],
  );
});

test('the notifier connects to the checked IP address, and sends the host name of the URL in the Host header', async t => {
  const receiver = await ok(t);
  const { port } = new URL(receiver.origin);
  assert.equal((await send(`http://mixed.example:${port}/`)).httpStatus, 200);
  assert.equal(receiver.received[0]?.headers.host, `mixed.example:${port}`);
});

test('the notifier does not connect to a webhook receiver at a forbidden address', async t => {
  const receiver = await ok(t);
  const { port } = new URL(receiver.origin);
  const refused: [string, TargetPolicy, RegExp][] = [
    [receiver.origin, NOBODY, /http is allowed only for addresses in GSQ_ALLOW_TARGETS/],
    [`https://127.0.0.1:${port}/`, NOBODY, /no address to which gsq is allowed to connect/],
    [`https://[::1]:${port}/`, NOBODY, /no address/],
    [`https://[::ffff:127.0.0.1]:${port}/`, LOOPBACK, /no address/],
    [`https://inside.example:${port}/`, LOOPBACK, /no address/],
    ['http://hook.example:25/', LOOPBACK, /port 25 is not allowed/],
    ['https://hook.example:6379/', LOOPBACK, /port 6379 is not allowed/],
    [`https://nobody.example:${port}/`, LOOPBACK, /the name nobody.example has no address/],
    ['ftp://hook.example/', LOOPBACK, /ftp: is not https:/],
  ];
  for (const [url, policy, reason] of refused) {
    const sent = await send(url, {}, policy);
    assert.equal(sent.httpStatus, 0, url);
    assert.match(sent.error, reason);
  }
  assert.deepEqual(receiver.received, []);
});

test('the result of a webhook delivery has `notSent` only if the machine of the notifier could not send the request', async t => {
  const closed = await rawServer(t, socket => socket.destroy());
  const cases: [string, TargetPolicy, boolean][] = [
    ['https://hook.example/', NOBODY, true],
    ['https://unanswered.example/', LOOPBACK, true],
    ['https://nobody.example/', LOOPBACK, false],
    [closed, LOOPBACK, false],
  ];
  for (const [url, policy, notSent] of cases)
    assert.equal((await send(url, {}, policy)).notSent, notSent, url);
  const receiver = await startReceiver(t, (_request, response) => response.writeHead(500).end());
  assert.equal((await send(receiver.origin)).notSent, false);
});

test('the notifier reports a webhook delivery as not sent if the notifier’s machine has no route to the receiver', {
  skip: process.platform !== 'linux' && 'only Linux refuses to connect to a multicast address',
}, async () => {
  const sent = await send('http://224.0.0.1:27015/', {}, new TargetPolicy(['224.0.0.0/4']));
  assert.match(sent.error, /ENETUNREACH|unreachable|no route/i);
  assert.equal(sent.notSent, true);
});

test('the notifier treats a redirect as the answer of the receiver, and does not follow the redirect', async t => {
  const inside = await ok(t);
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(307, { location: inside.origin }).end();
  });
  assert.equal((await send(receiver.origin)).httpStatus, 307);
  assert.deepEqual(inside.received, []);
});

test('the notifier reports the Retry-After header as a number of seconds, even if the header contains a date', async t => {
  const values = ['7', 'Tue, 24 Nov 2026 12:00:30 GMT', 'soon', '-4', '99999999'];
  const receiver = await startReceiver(t, (_request, response) => {
    const date = 'Tue, 24 Nov 2026 12:00:00 GMT';
    response.writeHead(429, { date, 'retry-after': values[receiver.received.length - 1] ?? '' }).end();
  });
  const seconds: number[] = [];
  for (const _ of values) seconds.push((await send(receiver.origin)).retryAfterSeconds);
  assert.deepEqual(seconds, [7, 30, 0, 0, 86_400]);
});

test('the notifier reads at most 64 KiB of an answer', async t => {
  let written = 0;
  const url = await rawServer(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 67108864\r\n\r\n');
    const chunk = Buffer.alloc(16 * 1024, 0x61);
    const more = (): void => {
      written += chunk.length;
      if (written < 64 * 1024 * 1024 && !socket.destroyed) socket.write(chunk, more);
    };
    socket.once('data', more);
  });
  const sent = await send(url, { wantsBody: true });
  assert.equal(sent.httpStatus, 200);
  assert.equal(sent.body.length, MAX_ANSWER_BYTES);
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
});

test('the notifier reports the body of the receiver’s answer only if the core has requested this body', async t => {
  const receiver = await ok(t);
  assert.equal((await send(receiver.origin, { wantsBody: true })).body.toString(), 'thanks');
  assert.equal((await send(receiver.origin)).body.length, 0);
});

test('the notifier aborts a delivery at its time limit if the receiver never answers', async t => {
  const url = await rawServer(t, () => {});
  assert.match((await send(url, { timeoutMs: 50 })).error, /no answer within 50 ms/);
});

test('the notifier aborts a delivery at its time limit if the receiver sends the answer too slowly', async t => {
  const url = await rawServer(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-slow: 1\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  assert.match((await send(url, { timeoutMs: 100 })).error, /no answer within 100 ms/);
});

test('the notifier reports in plain words that a connection broke before the answer', async t => {
  const url = await rawServer(t, socket => socket.destroy());
  const sent = await send(url);
  assert.equal(sent.httpStatus, 0);
  assert.match(sent.error, /socket hang up|connection reset/);
});

test('the notifier reports an answer that is not HTTP as a failure', async t => {
  const url = await rawServer(t, socket => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  const sent = await send(url);
  assert.equal(sent.httpStatus, 0);
  assert.notEqual(sent.error, '');
});
