import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { confineConnections } from '../../../prober/gamedig/confine.ts';

describe('a confined thread', () => {
  const unconfined = Socket.prototype.connect;
  let heard = 0;
  const listener = createServer(socket => {
    heard++;
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlist');
  });
  let port = 0;
  let vettedPort = 0;

  before(async () => {
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    ({ port } = listener.address() as AddressInfo);
    confineConnections((address, asked) => address === '127.0.0.1' && asked === vettedPort);
  });
  after(() => {
    Socket.prototype.connect = unconfined;
    listener.close();
  });

  test('connects to an endpoint that was vetted, however it is written', async () => {
    vettedPort = port;
    for (const socket of [connect(port, '127.0.0.1'), connect({ host: '127.0.0.1', port })]) {
      await once(socket.resume(), 'close');
    }
    const [response] = await once(get({ host: '127.0.0.1', port, agent: false }), 'response');
    assert.equal(response.resume().statusCode, 200);
    assert.equal(heard, 3);
  });

  test('connects to nothing else: no other port, host, name or path', () => {
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
