import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { EMPTY, headers, LIST_GAMES, outcome, publicServer } from './public-server.ts';

test('the public port refuses a compressed request without decompressing it', async t => {
  const { held, session } = await publicServer(t);
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
  const { held, session } = await publicServer(t);
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
  const { session } = await publicServer(t);
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
