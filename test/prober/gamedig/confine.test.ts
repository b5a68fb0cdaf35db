import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { confineConnections } from '../../../prober/gamedig/confine.ts';

/** Resolves when a socket is closed, whether or not it had an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise(resolve => socket.once('close', () => resolve()));
}

describe('a gamedig worker thread with a list of allowed endpoints', () => {
  const unconfined = Socket.prototype.connect;
  let heard = 0;
  const listener = createServer(socket => {
    heard++;
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlist');
  });
  let port = 0;
  let vettedPort = 0;
  const failures: object[] = [];

  before(async () => {
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    ({ port } = listener.address() as AddressInfo);
    confineConnections({
      vetted: (address, asked) => address.startsWith('127.') && asked === vettedPort,
      failed: (address, _, error) => failures.push({ address, ...error }),
    });
  });
  after(() => {
    Socket.prototype.connect = unconfined;
    listener.close();
  });

  test('can connect to an allowed endpoint, whether `connect` gets one object or separate arguments', async () => {
    vettedPort = port;
    for (const socket of [connect(port, '127.0.0.1'), connect({ host: '127.0.0.1', port })]) {
      await once(socket.resume(), 'close');
    }
    const [response] = await once(get({ host: '127.0.0.1', port, agent: false }), 'response');
    assert.equal(response.resume().statusCode, 200);
    assert.equal(heard, 3);
  });

  test('reports for each connection error whether the connection was already open', async () => {
    failures.length = 0;
    vettedPort = port;
    const reset = connect(port, '127.0.0.1');
    await once(reset, 'connect');
    reset.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    await closed(reset);
    // Neither of these two addresses accepts a connection at port 9. No process listens there at 127.0.0.1. The system
    // refuses to connect to 127.255.255.255, the broadcast address of the loopback network.
    vettedPort = 9;
    for (const host of ['127.0.0.1', '127.255.255.255']) await closed(connect(9, host));
    assert.deepEqual(failures, [
      { address: '127.0.0.1', code: 'ECONNRESET', wasConnected: true },
      { address: '127.0.0.1', code: 'ECONNREFUSED', wasConnected: false },
      { address: '127.255.255.255', code: 'ENETUNREACH', wasConnected: false },
    ]);
  });

  test('closes a connection that has received more than 1 MiB', async () => {
    const flood = createServer(socket => socket.on('error', () => {}).end(Buffer.alloc(3 * 2 ** 20)));
    await once(flood.listen(0, '127.0.0.1'), 'listening');
    vettedPort = (flood.address() as AddressInfo).port;
    const socket = connect(vettedPort, '127.0.0.1');
    let received = 0;
    socket.on('data', chunk => {
      received += chunk.length;
    });
    const [error] = await once(socket, 'error');
    assert.match(String(error), /sends more than 1048576 bytes/);
    assert.ok(received <= 2 ** 20, `${received} bytes`);
    flood.close();
  });

  test('cannot connect to a host name, to a path or to a forbidden port', () => {
    vettedPort = port + 1;
    heard = 0;
    for (const host of ['127.0.0.1', 'localhost', 'servers.minetest.net']) {
      const refusal = { message: `may not connect to ${host}, port ${port}` };
      assert.throws(() => connect(port, host), refusal);
      assert.throws(() => connect({ host, port }), refusal);
      assert.throws(() => connectTls(port, host), refusal);
    }
    assert.throws(() => connect(port), /may not connect to localhost/);
    assert.throws(() => connect('/run/some.sock'), /may not connect to a path/);
    assert.throws(() => connect({ path: '/run/some.sock' }), /may not connect to a path/);
    assert.equal(heard, 0);
  });
});
