import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { closeAfterGoaway } from '../../../core/rpc/http2-server.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { frame, headerBlock, PREFACE } from '../../fuzz/grpc-frames.ts';
import { destroySession } from '../../http2-session.ts';
import { until } from '../../system/until.ts';
import { EMPTY, headers, LIST_GAMES, outcome, publicServer } from './public-server.ts';

/** Opens an HTTP/2 connection, and waits for the HTTP/2 settings of the server. */
async function connected(t: TestContext, url: string): Promise<ClientHttp2Session> {
  const session = connect(url);
  session.on('error', () => {});
  t.after(() => destroySession(session));
  await once(session, 'remoteSettings');
  return session;
}

/** Starts an HTTP/2 server that never answers. `opened` resolves to its first session. */
async function silentServer(t: TestContext) {
  const server = createServer();
  closeAfterGoaway(server);
  const opened = once(server, 'session').then(([session]): ServerHttp2Session => session);
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { server, port, opened };
}

test('the public port answers a call that arrives together with a GOAWAY frame', async t => {
  const { port, held } = await publicServer(t);
  const caller = await connected(t, `http://127.0.0.1:${port}`);
  // Node's HTTP/2 client sends the GOAWAY frame first and then the call, both in one TCP segment. The server must
  // answer this call, although it arrives after GOAWAY.
  caller.goaway();
  const ended = outcome(caller.request(headers(LIST_GAMES)).end(EMPTY));
  await until(
    'the call',
    () => held.length,
    count => count === 1,
  );
  held[0]?.();
  assert.equal((await ended).code, 'OK');
});

test('the internal port answers a call that arrives together with a GOAWAY frame', async t => {
  const server = createInternalServer();
  const endpoint = await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 });
  t.after(() => server.forceShutdown());
  const caller = await connected(t, `http://${formatEndpoint(endpoint)}`);
  caller.goaway();
  const { code } = await outcome(caller.request(headers('/gsq.v1.GameService/Nothing')).end(EMPTY));
  assert.equal(code, 'UNIMPLEMENTED');
});

test('an HTTP/2 session that the server closes sends a GOAWAY frame, and ends after its last stream', async t => {
  const { server, port, opened } = await silentServer(t);
  const caller = await connected(t, `http://127.0.0.1:${port}`);
  const served = once(server, 'stream');
  const stream = caller.request({ ':path': '/' });
  const [answer] = await served;
  const session = await opened;
  const goaway = once(caller, 'goaway');
  const closed = new Promise<void>(resolve => {
    session.close();
    session.close(resolve);
  });
  assert.equal(session.closed, false);
  await goaway;
  await until(
    'the close',
    () => session.closed,
    isClosed => isClosed,
  );
  assert.equal(session.destroyed, false);
  answer.respond({ ':status': 204 }, { endStream: true });
  stream.resume();
  await once(stream, 'close');
  await closed;
});

test('if the client stops reading, an HTTP/2 session does not close before its GOAWAY frame is sent', async t => {
  const { server, port, opened } = await silentServer(t);
  const socket = connectTcp(port, '127.0.0.1');
  // Ignores connection errors, because the server can reset the connection when the test has ended.
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  const [SETTINGS, WINDOW_UPDATE, HEADERS] = [4, 8, 1];
  const manyBytes = Buffer.from([0x7f, 0, 0, 0]);
  const block = headerBlock({ ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'x' });
  const initialWindow = Buffer.concat([Buffer.from([0, 4]), manyBytes]);
  const served = once(server, 'stream');
  socket.write(
    Buffer.concat([
      PREFACE,
      frame(SETTINGS, 0, 0, initialWindow),
      frame(WINDOW_UPDATE, 0, 0, manyBytes),
      frame(HEADERS, 5, 1, block),
    ]),
  );
  const [answer] = await served;
  answer.on('error', () => {});
  answer.respond();
  answer.write(Buffer.alloc(32 * 1024 * 1024));
  const session = await opened;
  await until(
    'the end of all writes that the connection has room for',
    () => session.state.outboundQueueSize,
    size => size === 0,
  );
  session.close();
  for (let i = 0; i < 20; i++) await nextTurn();
  assert.equal(session.closed, false);
  socket.resume();
  await until(
    'the close',
    () => session.closed,
    isClosed => isClosed,
  );
});
