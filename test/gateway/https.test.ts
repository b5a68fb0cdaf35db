import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect, TLSSocket } from 'node:tls';
import type { PlainRoute } from '../../gateway/http/plain-route.ts';
import { type HttpLimits, httpLimits, listenHttp } from '../../gateway/http-server.ts';
import { AddressCap } from '../../net/address-cap.ts';
import { TlsFixture, type TlsFixtureOptions } from '../runtime/terminated-port.ts';
import { until } from '../system/until.ts';

const REQUEST = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
/** The body of a request that is answered only after the client has closed its half of the connection. */
const LATE = 'zz';
const GET = 'GET /node HTTP/1.1\r\nHost: x\r\n\r\n';
/** The answer to `GET /large`. It is larger than all buffers between server and client together. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/**
 * Starts an HTTPS server whose answer shows which parser has read the request. After the fast HTTP parser, the answer
 * is `plain` and the body of the request. After node:http, the answer is `node`, or `LARGE` for the path /large.
 */
async function serve(t: TestContext, limits: Partial<HttpLimits> = {}, options?: TlsFixtureOptions) {
  const fixture = new TlsFixture(options);
  /** The connections on which the requests arrived: one entry for each request, in the order of arrival. */
  const served: Socket[] = [];
  const route: PlainRoute = {
    method: 'POST',
    path: '/echo',
    acceptsPlain: () => true,
    listener: ({ body, socket }, response) => {
      served.push(socket);
      const bytes = Buffer.concat([Buffer.from('plain '), body]);
      const answer = () => response.writeHead(200, { 'Content-Length': String(bytes.length) }).end(bytes);
      if (body.toString() === LATE) socket.once('end', () => setImmediate(answer));
      else answer();
    },
  };
  const server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    (incoming, response) => {
      served.push(incoming.socket);
      incoming.resume();
      const body = incoming.url === '/large' ? LARGE : 'node';
      incoming.on('end', () => response.writeHead(200, { 'Content-Length': body.length }).end(body));
    },
    { ...httpLimits, ...limits },
    [route],
    fixture.terminator,
  );
  t.after(() => server.close(0));
  const { port } = server.endpoint;
  const open = (tls12 = false) => {
    const version = tls12 ? ({ maxVersion: 'TLSv1.2' } as const) : {};
    const socket = connect({ host: '127.0.0.1', port, ca: fixture.ca, ...version }).setEncoding('latin1');
    const closed = new Promise(resolve => socket.on('close', resolve));
    const connection = { socket, received: '', closed };
    socket
      .on('error', () => {})
      .on('data', text => {
        connection.received += text;
      });
    t.after(() => socket.destroy());
    return connection;
  };
  return { fixture, server, port, open, served };
}

const receives = ({ received }: { received: string }, pattern: RegExp) => pattern.test(received);
const untilReceived = (connection: { received: string }, pattern: RegExp) =>
  until(`an answer that matches ${pattern}`, () => receives(connection, pattern), Boolean);

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
