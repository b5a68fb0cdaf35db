import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { describe, test } from 'node:test';
import { connect, TLSSocket } from 'node:tls';
import { until } from '../system/until.ts';
import { GET, LATE, REQUEST, serve, untilReceived } from './https-server.ts';

describe('REST with TLS', { timeout: 20_000 }, () => {
  for (const [version, tls12] of [
    ['1.2', true],
    ['1.3', false],
  ] as const) {
    test(`uses the fast HTTP parser and node:http on the same connection with TLS ${version}`, async t => {
      const { open } = await serve(t);
      const connection = open(tls12);
      for (const body of ['a1', 'a2', 'a3']) {
        connection.socket.write(REQUEST + body);
        await untilReceived(connection, new RegExp(`plain ${body}$`));
      }
      connection.socket.write(GET);
      await untilReceived(connection, /node$/);
      connection.socket.write(`${REQUEST}a4`);
      await untilReceived(connection, /node[\s\S]*node$/);
    });
  }

  test('answers each request, even if its bytes arrive one by one or together with other requests', async t => {
    const { open } = await serve(t);
    const together = open();
    together.socket.write(`${REQUEST}a1${REQUEST}a2${GET}`);
    await untilReceived(together, /(200 OK[\s\S]*){3}node$/);
    const slow = open();
    await once(slow.socket, 'secureConnect');
    for (const byte of `${REQUEST}a1`) await new Promise(resolve => slow.socket.write(byte, resolve));
    await untilReceived(slow, /(plain a1|node)$/);
    for (const [text, answer] of [
      [`${REQUEST}a1`, /plain a1$/],
      [REQUEST + LATE, /plain zz$/],
      [GET, /node$/],
    ] as const) {
      const last = open();
      last.socket.end(text);
      await last.closed;
      assert.match(last.received, answer);
    }
  });

  test('negotiates HTTP/1.1 with a client that supports HTTP/1.1 and HTTP/2', async t => {
    const { port, fixture } = await serve(t);
    const socket = connect({ host: '127.0.0.1', port, ca: fixture.ca, ALPNProtocols: ['h2', 'http/1.1'] });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
  });

  for (const [what, text, answer] of [
    ['requests for the fast HTTP parser', `${REQUEST}a1`, /plain a1$/],
    ['requests for node:http', GET, /node$/],
  ] as const) {
    test(`reads no ${what} from a paused connection`, async t => {
      const { open, served } = await serve(t);
      const paused = open();
      paused.socket.write(text);
      await untilReceived(paused, answer);
      served[0]?.pause();
      paused.received = '';
      await new Promise(resolve => paused.socket.write(text, resolve));
      // Waits until the gateway has answered on three other connections. This gives the gateway enough time to answer
      // on the paused connection too. The gateway must not answer on the paused connection, because it must not read
      // the request there.
      for (let i = 0; i < 3; i++) {
        const other = open();
        other.socket.write(text);
        await untilReceived(other, answer);
      }
      assert.equal(paused.received, '');
      served[0]?.resume();
      await untilReceived(paused, answer);
    });
  }

  test('closes idle connections and unfinished handshakes when the server shuts down', async t => {
    const { open, port, server } = await serve(t);
    const connection = open();
    connection.socket.write(`${REQUEST}a1`);
    await untilReceived(connection, /plain a1$/);
    const idle = connectTcp(port, '127.0.0.1')
      .resume()
      .on('error', () => {});
    await once(idle, 'connect');
    const idleClosed = once(idle, 'close');
    // `server.close()` must close the two open connections itself. If it waited for the client, the test would fail
    // with a timeout.
    await server.close(600_000);
    await Promise.all([connection.closed, idleClosed]);
  });

  test('answers every request while the certificate is replaced', async t => {
    const { fixture, port } = await serve(t);
    const agent = new Agent({ keepAlive: false, ca: fixture.ca, maxCachedSessions: 0 });
    t.after(() => agent.destroy());
    const seen = new Set<string>();
    let answered = 0;
    const fetchOnce = () =>
      new Promise<void>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: '/node', agent }, response => {
          const { socket } = response;
          if (socket instanceof TLSSocket) seen.add(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
          response.resume().on('end', () => {
            answered++;
            resolve();
          });
        });
        sent.on('error', reject).end();
      });
    let ending = false;
    const caller = async () => {
      while (!ending) await fetchOnce();
    };
    const callers = [caller(), caller(), caller()];
    try {
      for (let replaced = 1; replaced <= 3; replaced++) {
        const told = fixture.nextLine();
        fixture.authority.issue('server', ['127.0.0.1']);
        assert.equal((await told).level, 'info');
        await until(
          'the new certificate',
          () => seen.size,
          count => count > replaced,
        );
      }
    } finally {
      ending = true;
    }
    await Promise.all(callers);
    assert.equal(seen.size, 4);
    assert.ok(answered >= 4);
  });
});
