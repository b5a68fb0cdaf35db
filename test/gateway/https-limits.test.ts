import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, test } from 'node:test';
import { AddressCap } from '../../net/address-cap.ts';
import { until } from '../system/until.ts';
import { LARGE, serve } from './https-server.ts';

describe('REST with TLS', { timeout: 20_000 }, () => {
  test('disconnects a client after the timeout if the client does not read its answer', async t => {
    const { open, served } = await serve(t, { timeout: 300 });
    const connection = open();
    await once(connection.socket, 'secureConnect');
    connection.socket.pause();
    connection.socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(
      'the end of the connection',
      () => served[0]?.destroyed,
      destroyed => destroyed === true,
    );
    assert.ok(connection.received.length < LARGE.length);
  });

  test('answers 408 to an incomplete request after the time limit', async t => {
    const hasty = {
      headersTimeout: 40,
      requestTimeout: 80,
      connectionsCheckingInterval: 10,
      lingerTimeout: 50,
    };
    const { open } = await serve(t, hasty);
    const connection = open();
    connection.socket.write('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await connection.closed;
    assert.match(connection.received, /^HTTP\/1\.1 408 /);
  });

  test('counts connections with an unfinished handshake towards the connection limit of their IP address', async t => {
    const { open, port } = await serve(t, { perAddress: new AddressCap(1, () => true) });
    const idle = connectTcp(port, '127.0.0.1').resume();
    t.after(() => idle.destroy());
    await once(idle, 'connect');
    const refused = open();
    await refused.closed;
    idle.destroy();
    // The server notices only after some time that the client has closed the idle connection. Until then, the limit
    // of connections is reached. Therefore the test repeats its attempt until the server accepts a new connection.
    await until(
      'a connection that is accepted',
      async () => {
        const { socket, closed } = open();
        const secured = new Promise(resolve => socket.on('secureConnect', () => resolve(true)));
        return Promise.race([closed.then(() => false), secured]);
      },
      Boolean,
    );
  });
});
