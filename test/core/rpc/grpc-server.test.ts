import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { destroySession } from '../../http2-session.ts';
import { until } from '../../system/until.ts';
import { EMPTY, framed, headers, LIST_GAMES, outcome, publicServer } from './public-server.ts';

test('the public port refuses a compressed request without decompressing it', async t => {
  const { held, session } = await publicServer(t);
  const message = gzipSync(Buffer.alloc(1024 * 1024 - 1));
  const stream = session().request(headers(LIST_GAMES, { 'grpc-encoding': 'gzip' }));
  const { code, message: words, fields } = await outcome(stream.end(framed(message, 1)));
  assert.equal(code, 'UNIMPLEMENTED');
  assert.match(words, /must not be compressed/);
  assert.equal(fields['grpc-accept-encoding'], 'identity');
  assert.equal(held.length, 0);
});

test('the public port compresses large replies for callers that accept gzip, but does not announce that it accepts compressed requests', async t => {
  const { held, session } = await publicServer(t);
  const caller = session();
  const games = Array.from({ length: 2000 }, (_, i) => ({ id: `game${i}`, name: `Game ${i}` }));
  const reply = async (accepted: string | undefined, list: object[]) => {
    const more: Record<string, string> = accepted === undefined ? {} : { 'grpc-accept-encoding': accepted };
    const ended = outcome(caller.request(headers(LIST_GAMES, more)).end(EMPTY));
    await until(
      'the call',
      () => held.length,
      count => count === 1,
    );
    held.pop()?.(list);
    const { code, fields, body } = await ended;
    assert.equal(code, 'OK');
    assert.equal(fields['grpc-accept-encoding'], 'identity');
    assert.equal(body.readUInt32BE(1), body.length - 5);
    return { encoding: fields['grpc-encoding'], compressed: body[0], content: body.subarray(5) };
  };
  const plain = gsqV1.ListGamesResponse.serialize({ games });
  for (const accepted of [undefined, 'identity', 'identity,deflate', 'xgzip, gzipx']) {
    assert.deepEqual(await reply(accepted, games), { encoding: 'identity', compressed: 0, content: plain });
  }
  for (const accepted of ['gzip', 'identity,deflate,gzip', 'identity, gzip, deflate']) {
    const { encoding, compressed, content } = await reply(accepted, games);
    assert.deepEqual([encoding, compressed], ['gzip', 1]);
    assert.ok(content.length < plain.length / 2);
    assert.deepEqual(gunzipSync(content), plain);
  }
  assert.deepEqual(await reply('gzip', []), { encoding: 'gzip', compressed: 0, content: Buffer.alloc(0) });
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

test('a call with more than 64 KiB of metadata is reset, and other calls of its connection go on', async t => {
  const { port, held } = await publicServer(t);
  const caller = connect(`http://127.0.0.1:${port}`, { maxSendHeaderBlockLength: 1024 * 1024 });
  t.after(() => destroySession(caller));
  const [{ maxHeaderListSize }] = await once(caller, 'remoteSettings');
  assert.equal(maxHeaderListSize, 64 * 1024);
  // Waits for the reply to an HTTP/2 ping. The server has then also received the acknowledgement of its HTTP/2
  // settings.
  await new Promise(resolve => caller.ping(resolve));
  const other = outcome(caller.request(headers(LIST_GAMES)).end(EMPTY));
  const entries = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`x-${i}`, 'y'.repeat(1000)]));
  const stream = caller.request(headers(LIST_GAMES, entries));
  stream.on('error', () => {});
  await new Promise(resolve => stream.end(EMPTY).once('close', resolve));
  assert.equal(stream.rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  assert.equal(held.length, 1);
  held[0]?.();
  assert.equal((await other).code, 'OK');
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
  const one = framed(question);
  const COUNT = 20_000;
  stream.pause();
  let sent = false;
  stream.write(Buffer.concat(Array.from({ length: COUNT }, () => one)), () => {
    sent = true;
  });
  await once(stream, 'response');
  // Sends HTTP/2 pings, and waits for the replies. Each reply shows that the server has processed all data that was
  // sent before the ping.
  for (let i = 0; i < 20; i++) await new Promise(resolve => caller.ping(resolve));
  assert.equal(sent, false, 'all questions were taken, though no answer was');
});
