import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { type PublicLimits, PublicServer } from '../../../core/rpc/grpc-server.ts';
import { addReflection } from '../../../core/rpc/reflection.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { until } from '../../system/until.ts';

const LIST_GAMES = gsqV1.GameService.service.ListGames.path;
const EMPTY = Buffer.alloc(5);
const many: PublicLimits = { connections: 100, connectionsPerAddress: 100, callsPerAddress: 100 };

/**
 * A public gRPC server whose method ListGames replies when the test decides. Unlike in production, connections from
 * loopback count towards the limits.
 */
async function running(t: TestContext, limits: Partial<PublicLimits> = {}, byAddress = true) {
  const server = new PublicServer(byAddress, { ...many, ...limits }, () => true);
  const held: (() => void)[] = [];
  server.addService(gsqV1.GameService.service, {
    ListGames: (_call: unknown, answer: (error: null, games: object) => void) => {
      held.push(() => answer(null, { games: [] }));
    },
  });
  addReflection(server, ['gsq.v1.GameService']);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.tryShutdown(() => {}));
  const session = () => {
    const made = connectHttp2(`http://127.0.0.1:${port}`);
    made.on('error', () => {});
    t.after(() => made.destroy());
    return made;
  };
  return { port, held, session };
}

function headers(path: string, more: Record<string, string> = {}): Record<string, string> {
  return { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more };
}

/** Resolves to the gRPC status and the message of a call, which are in the trailers or in the headers. */
async function outcome(stream: ClientHttp2Stream): Promise<{ code: string | undefined; message: string }> {
  let fields: Record<string, unknown> = {};
  stream.on('response', answer => {
    fields = { ...fields, ...answer };
  });
  stream.on('trailers', answer => {
    fields = { ...fields, ...answer };
  });
  stream.on('error', () => {});
  stream.resume();
  await once(stream, 'close');
  return { code: status[Number(fields['grpc-status'])], message: decodeURI(String(fields['grpc-message'])) };
}

for (const cap of ['connections', 'connectionsPerAddress'] as const) {
  test(`if the limit ${cap} is reached, a new connection is closed immediately; after another connection ends, it is accepted`, {
    timeout: 10_000,
  }, async t => {
    const { port } = await running(t, { [cap]: 1 });
    const open = () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      t.after(() => socket.destroy());
      return socket;
    };
    const first = open();
    await once(first, 'data', { signal: AbortSignal.timeout(5_000) });
    await once(open(), 'close');
    first.end();
    await once(first, 'close');
    await once(open(), 'data');
  });
}

test('if an address reaches its limit of open calls, further calls are refused with CORE_1 until a call ends', async t => {
  const { held, session } = await running(t, { callsPerAddress: 1 });
  const caller = session();
  const call = () => caller.request(headers(LIST_GAMES)).end(EMPTY);
  const first = call();
  await until(
    'the first call',
    () => held.length,
    count => count === 1,
  );
  const refused = await outcome(call());
  assert.equal(refused.code, 'UNAVAILABLE');
  assert.match(refused.message, /Too many calls from this address/);
  const ended = outcome(first);
  held[0]?.();
  assert.equal((await ended).code, 'OK');
  const next = outcome(call());
  await until(
    'the next call',
    () => held.length,
    count => count === 2,
  );
  held[1]?.();
  assert.equal((await next).code, 'OK');
});

test('a call that the caller resets no longer counts towards the limit of open calls of its address', async t => {
  const { held, session } = await running(t, { callsPerAddress: 1 });
  const caller = session();
  for (let i = 1; i <= 5; i++) {
    const stream = caller.request(headers(LIST_GAMES)).end(EMPTY);
    stream.on('error', () => {});
    await until(
      `call ${i}`,
      () => held.length,
      count => count === i,
    );
    stream.close(8);
    await once(stream, 'close');
    // The reply to the ping shows that the server has received the reset.
    await new Promise(resolve => caller.ping(resolve));
  }
});

test('addresses have no limits on calls and connections if all callers connect through a proxy', async t => {
  const { held, session } = await running(t, { callsPerAddress: 0, connectionsPerAddress: 0 }, false);
  const stream = session().request(headers(LIST_GAMES)).end(EMPTY);
  const ended = outcome(stream);
  await until(
    'the call',
    () => held.length,
    count => count === 1,
  );
  held[0]?.();
  assert.equal((await ended).code, 'OK');
});

test('the public port refuses a compressed request without decompressing it', async t => {
  const { held, session } = await running(t);
  const message = gzipSync(Buffer.alloc(1024 * 1024 - 1));
  const prefix = Buffer.alloc(5, 0);
  prefix[0] = 1;
  prefix.writeUInt32BE(message.length, 1);
  const stream = session().request(headers(LIST_GAMES, { 'grpc-encoding': 'gzip' }));
  const { code, message: words } = await outcome(stream.end(Buffer.concat([prefix, message])));
  assert.equal(code, 'UNIMPLEMENTED');
  assert.match(words, /uncompressed only/);
  assert.equal(held.length, 0);
});

test('a request with more than 128 metadata entries is reset before it reaches its handler', async t => {
  const { held, session } = await running(t);
  const entries = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'y']));
  const stream = session().request(headers(LIST_GAMES, entries));
  stream.on('error', () => {});
  await new Promise(resolve => stream.end(EMPTY).once('close', resolve));
  assert.equal(stream.rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  assert.equal(held.length, 0);
});

test('the reflection service stops reading requests while the caller does not read the replies', {
  timeout: 20_000,
}, async t => {
  const { session } = await running(t);
  const caller = session();
  const stream = caller.request(headers('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'));
  stream.on('error', () => {});
  const symbol = Buffer.from('gsq.v1.ServerService');
  const question = Buffer.concat([Buffer.from([0x22, symbol.length]), symbol]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(question.length, 1);
  const one = Buffer.concat([prefix, question]);
  const COUNT = 20_000;
  stream.pause();
  let sent = false;
  stream.write(Buffer.concat(Array.from({ length: COUNT }, () => one)), () => {
    sent = true;
  });
  await once(stream, 'response');
  // The replies to the pings show that the server has processed all data sent before.
  for (let i = 0; i < 20; i++) await new Promise(resolve => caller.ping(resolve));
  assert.equal(sent, false, 'all questions were taken, though no answer was');
});
