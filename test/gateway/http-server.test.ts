import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listenHttp } from '../../gateway/http-server.ts';
import { AddressCap } from '../../net/address-cap.ts';
import { askRaw } from './ask.ts';

const hasty = {
  maxConnections: 100,
  headersTimeout: 40,
  requestTimeout: 80,
  keepAliveTimeout: 50,
  timeout: 60_000,
  connectionsCheckingInterval: 10,
  lingerTimeout: 50,
};

describe('an HTTP server with time limits', () => {
  for (const [what, bytes] of [
    ['headers that do not end', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body that does not end', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ] as const) {
    test(`answers 408 with gzip-compressed JSON to a request with ${what}`, async () => {
      const server = await listenHttp({ host: '127.0.0.1', port: 0 }, request => request.resume(), hasty);
      const { head, body } = await askRaw(`127.0.0.1:${server.endpoint.port}`, bytes);
      assert.match(head, /^HTTP\/1\.1 408 /);
      assert.match(JSON.parse(gunzipSync(body).toString()).message, /did not arrive in time/);
      await server.close(1000);
    });
  }

  test('destroys the connections that are still open at the time limit of close()', async () => {
    const requests = new EventEmitter();
    const server = await listenHttp({ host: '127.0.0.1', port: 0 }, () => requests.emit('request'));
    const arrived = once(requests, 'request');
    const hanging = askRaw(`127.0.0.1:${server.endpoint.port}`, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    await server.close(50);
    const { body } = await hanging;
    assert.equal(body.length, 0);
  });
});

test('an HTTP server closes a new connection if it already has the maximum number of connections', {
  timeout: 10_000,
}, async t => {
  const limits = { ...hasty, maxConnections: 1, keepAliveTimeout: 60_000, requestTimeout: 60_000 };
  const server = await listenHttp({ host: '127.0.0.1', port: 0 }, (_, response) => response.end(), limits);
  const open = () => {
    const socket = connect(server.endpoint.port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  t.after(() => server.close(0));
  const first = open();
  await once(first, 'data');
  await once(open(), 'close');
  first.end();
  await once(first, 'close');
  await once(open(), 'data');
});

test('an HTTP server closes a new connection if its IP address already has the maximum number of connections', {
  timeout: 10_000,
}, async t => {
  const perAddress = new AddressCap(1, () => true);
  const limits = { ...hasty, perAddress, keepAliveTimeout: 60_000, requestTimeout: 60_000 };
  const server = await listenHttp({ host: '127.0.0.1', port: 0 }, (_, response) => response.end(), limits);
  t.after(() => server.close(0));
  const open = (localAddress: string) => {
    const socket = connect({ port: server.endpoint.port, host: '127.0.0.1', localAddress }, () => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  const first = open('127.0.0.1');
  await once(first, 'data');
  await once(open('127.0.0.1'), 'close');
  await once(open('127.0.0.2'), 'data');
  first.end();
  await once(first, 'close');
  await once(open('127.0.0.1'), 'data');
});

test('an HTTP server destroys the connection of a client that does not read the answer', {
  timeout: 10_000,
}, async t => {
  const gone = new EventEmitter();
  const answer = Buffer.alloc(64 * 1024 * 1024);
  const server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    (request, response) => {
      request.socket.once('close', () => gone.emit('gone'));
      response.end(answer);
    },
    { ...hasty, timeout: 100 },
  );
  const cut = once(gone, 'gone');
  const socket = connect(server.endpoint.port, '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await cut;
  await server.close(1000);
});

// The client never closes the connection, so the server must do it. Otherwise these tests fail with a timeout.
describe('a client that never closes its connection', { timeout: 10_000 }, () => {
  async function stubborn(bytes: string): Promise<string> {
    let released: Promise<void> | undefined;
    const server = await listenHttp(
      { host: '127.0.0.1', port: 0 },
      (incoming, response) => {
        released = new Promise(resolve => incoming.once('close', () => resolve()));
        incoming.on('error', () => {});
        if (incoming.method === 'CONNECT') response.writeHead(404).end('no');
        else incoming.resume();
      },
      hasty,
    );
    const socket = connect({ port: server.endpoint.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    try {
      const chunks: Buffer[] = [];
      socket.on('data', chunk => chunks.push(chunk));
      socket.write(bytes);
      await once(socket, 'end');
      // close() waits up to 60 s for open connections. If the client's connection is still open, the test fails with a
      // timeout.
      await server.close(60_000);
      if (!bytes.startsWith('CONNECT')) await released;
      return Buffer.concat(chunks).toString('latin1');
    } finally {
      socket.destroy();
    }
  }

  test('is disconnected by the server after the answer 408 to an incomplete request', async () => {
    const said = await stubborn('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    assert.match(said, /^HTTP\/1\.1 408 /);
  });

  test('is disconnected by the server after the answer 400 to bytes that are not HTTP', async () => {
    const said = await stubborn('hello\r\n\r\n');
    assert.match(said, /^HTTP\/1\.1 400 /);
  });

  test('is disconnected by the server after the answer to a CONNECT request', async () => {
    const said = await stubborn('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(said, /^HTTP\/1\.1 404 /);
  });
});
