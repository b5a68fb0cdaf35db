import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { credentials, status } from '@grpc/grpc-js';
import { drain, PublicServer } from '../../../core/rpc/grpc-server.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ListGamesResponse__Output } from '../../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { TlsFixture, type TlsFixtureOptions } from '../../runtime/terminated-port.ts';
import { Authority } from '../../system/certificates.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';
import { unary } from './answer.ts';

/** Starts a public gRPC server with TLS. Its method ListGames returns the address of the caller as the only game. */
async function serve(t: TestContext, options: TlsFixtureOptions = {}, connectionsPerAddress = 100) {
  const fixture = new TlsFixture({ protocol: 'h2', ...options });
  const server = new PublicServer({
    byAddress: true,
    limits: { connections: 100, connectionsPerAddress, callsPerAddress: 100 },
    counts: () => true,
    tls: fixture.terminator,
  });
  server.addService(gsqV1.GameService.service, {
    ListGames: (call: { getPeer(): string }, answer: (error: null, reply: object) => void) =>
      answer(null, { games: [{ id: 'peer', name: call.getPeer() }] }),
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => drain(server));
  const listGames = async (shown?: { cert: Buffer; key: Buffer }) => {
    // By default, grpc-js clients with the same options share a connection. Each call of this test needs a new
    // connection.
    const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_retries': 0 };
    const secure = credentials.createSsl(fixture.ca, shown?.key, shown?.cert);
    const client = clients.game(`127.0.0.1:${port}`, { credentials: secure, options });
    try {
      const deadline = { deadline: Date.now() + 10_000 };
      const { games } = await unary<ListGamesResponse__Output>(done => client.listGames({}, deadline, done));
      return games[0]?.name ?? '';
    } finally {
      client.close();
    }
  };
  return { fixture, server, port, listGames };
}

describe('the public gRPC port with TLS', { timeout: 20_000 }, () => {
  test('answers calls, and gets the IP address of the caller from the connection', async t => {
    const { listGames } = await serve(t);
    assert.match(await listGames(), /^127\.0\.0\.1:\d+$/);
  });

  test('answers HTTP status 403 to a client that does not negotiate HTTP/2, and closes the connection', async t => {
    const { fixture, port } = await serve(t);
    const socket = connect({ host: '127.0.0.1', port, ca: fixture.ca }).setEncoding('latin1');
    t.after(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [text] = await once(socket, 'data');
    assert.match(text, /^HTTP\/1\.[01] 403 Forbidden\r\n/);
    await once(socket, 'close');
  });

  test('accepts calls without a client certificate or with a valid one, and refuses an invalid one', async t => {
    const { fixture, listGames } = await serve(t, { clientCertificates: true });
    const shown = (authority: Authority) => {
      const { certificate, key } = authority.issue('client', ['client.example']);
      return { cert: readFileSync(certificate), key: readFileSync(key) };
    };
    assert.match(await listGames(), /^127/);
    assert.match(await listGames(shown(fixture.authority)), /^127/);
    const failed = fixture.nextLine();
    const stranger = new Authority(scratchDirectory());
    await assert.rejects(listGames(shown(stranger)), { code: status.UNAVAILABLE });
    assert.equal((await failed).cause, 'CERT_SIGNATURE_FAILURE');
  });

  test('counts connections without a finished handshake towards the connection limit of an IP address', async t => {
    const { listGames, port } = await serve(t, {}, 1);
    const idle = connectTcp(port, '127.0.0.1').resume();
    t.after(() => idle.destroy());
    await once(idle, 'connect');
    await assert.rejects(listGames(), { code: status.UNAVAILABLE });
    idle.destroy();
    await until(
      'a call that is answered',
      () => listGames().catch(() => ''),
      name => name !== '',
    );
  });

  test('closes unfinished handshakes when the server shuts down', async t => {
    const { server, port } = await serve(t);
    const idle = connectTcp(port, '127.0.0.1')
      .resume()
      .on('error', () => {});
    await once(idle, 'connect');
    const closed = once(idle, 'close');
    await drain(server);
    await closed;
  });

  test('answers every call while the certificate is replaced', async t => {
    const { fixture, listGames, port } = await serve(t);
    const kept = clients.game(`127.0.0.1:${port}`, {
      credentials: credentials.createSsl(fixture.ca),
      options: { 'grpc.use_local_subchannel_pool': 1 },
    });
    t.after(() => kept.close());
    let answered = 0;
    let ending = false;
    const onNewConnections = async () => {
      for (; !ending; answered++) await listGames();
    };
    const onOneConnection = async () => {
      while (!ending) await unary(done => kept.listGames({}, done));
    };
    const callers = [onNewConnections(), onNewConnections(), onOneConnection()];
    try {
      for (let replaced = 0; replaced < 3; replaced++) {
        const told = fixture.nextLine();
        fixture.authority.issue('server', ['127.0.0.1']);
        assert.equal((await told).level, 'info');
        const before = answered;
        await until(
          'calls with the new certificate',
          () => answered,
          count => count >= before + 4,
        );
      }
    } finally {
      ending = true;
    }
    await Promise.all(callers);
  });
});
