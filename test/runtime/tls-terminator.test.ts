import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { describe, test } from 'node:test';
import { echoes, terminatedPort } from './terminated-port.ts';

describe('a TLS handshake', { timeout: 20_000 }, () => {
  for (const protocol of ['h2', 'http/1.1'] as const) {
    test(`chooses ${protocol} if the port offers it, and fails for a client that only speaks another protocol`, async t => {
      const { fixture, open } = await terminatedPort(t, { protocol });
      const socket = open({ ALPNProtocols: ['other', protocol] });
      await once(socket, 'secureConnect');
      assert.equal(socket.alpnProtocol, protocol);
      const failed = fixture.nextLine();
      const [error] = await once(open({ ALPNProtocols: ['other'] }), 'error');
      assert.match(String(error), /no application protocol/);
      assert.match((await failed).message, /^a TLS handshake on the port failed$/);
    });
  }

  test('succeeds with TLS 1.2 and 1.3, and fails with TLS 1.1', async t => {
    const { open } = await terminatedPort(t);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = open({ minVersion: version, maxVersion: version });
      await once(socket, 'secureConnect');
      assert.equal(socket.getProtocol(), version);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const [error] = await once(open(old), 'error');
    assert.match(String(error), /alert protocol version/);
  });

  test('ends after the time limit if the client does not finish it, and the log contains peer and cause', async t => {
    const limits = { timeoutMs: 50, unfinished: 10 };
    const { fixture, port } = await terminatedPort(t, { limits });
    const failed = fixture.nextLine();
    const socket = connectTcp(port, '127.0.0.1').resume();
    await once(socket, 'close');
    assert.deepEqual(await failed, {
      level: 'warn',
      message: 'a TLS handshake on the port failed',
      peer: '127.0.0.1',
      cause: 'TLS handshake timeout',
    });
  });

  test('ends if it is the oldest of too many unfinished handshakes, so that other clients can still connect', async t => {
    const { port, open } = await terminatedPort(t, { limits: { timeoutMs: 600_000, unfinished: 2 } });
    const idle = async () => {
      const socket = connectTcp(port, '127.0.0.1').resume();
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    const finished = open();
    await echoes(finished);
    const first = await idle();
    const firstClosed = once(first, 'close');
    const others = [await idle(), await idle()];
    await firstClosed;
    await echoes(open());
    await echoes(finished);
    assert.equal(others[1]?.destroyed, false);
  });

  test('ends when the client closes the connection, long before the time limit', async t => {
    const { fixture, port } = await terminatedPort(t, {
      limits: { timeoutMs: 600_000, unfinished: 10 },
      allowHalfOpen: true,
    });
    const failed = fixture.nextLine();
    connectTcp(port, '127.0.0.1').resume().end();
    assert.equal((await failed).cause, 'socket hang up');
  });

  test('fails if the client sends plain text, and the log contains the cause', async t => {
    const { fixture, port } = await terminatedPort(t);
    const failed = fixture.nextLine();
    connectTcp(port, '127.0.0.1')
      .resume()
      .on('error', () => {})
      .end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal((await failed).cause, 'http request');
  });
});
