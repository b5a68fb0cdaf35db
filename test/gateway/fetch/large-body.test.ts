import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { BodyAllocation, BodyMemory, readBody } from '../../../gateway/fetch/read-body.ts';
import { CallerGone } from '../../../gateway/http/error-reply.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { askFetch, oneServer } from '../ask.ts';
import { agreeable, refusing, type Script } from '../core-scripts.ts';
import { withGateway } from '../running-gateway.ts';

const SMALL = 64 * 1024;
const small = oneServer.padEnd(SMALL);
const large = oneServer.padEnd(SMALL + 1);
const chunked = { 'Transfer-Encoding': 'chunked' };
const zipped = { 'Content-Encoding': 'gzip' };

/** Makes the fake core accept all credentials, but never answer a fetch. */
const silent: Script = call => (call.action === 'check' ? agreeable(call) : undefined);

describe('POST /v1/post/fetch', () => {
  const { core, gateway } = withGateway();
  const actions = () => core.calls.map(call => call.action);

  /** Sends the head of a fetch request and only a part of its body. Returns the open connection. */
  function stall(head: string, part: string | Buffer = ''): Socket {
    const [host = '', port = ''] = gateway.http.split(':');
    const socket = connect(Number(port), host);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/post/fetch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n\r\n`,
    );
    socket.write(part);
    return socket;
  }

  for (const [what, question] of [
    ['64 KiB', { body: small }],
    ['64 KiB in chunks', { body: small, headers: chunked }],
    ['64 KiB when decompressed', { body: gzipSync(small), headers: zipped }],
  ] as const) {
    test(`sends credentials and body to the core in one call if the body has ${what}`, async () => {
      assert.equal((await askFetch(gateway.http, question)).status, 200);
      assert.deepEqual(actions(), ['fetch']);
    });
  }

  for (const [what, question] of [
    ['over 64 KiB', { body: large }],
    ['over 64 KiB in chunks', { body: large, headers: chunked }],
    ['over 64 KiB when decompressed', { body: gzipSync(large), headers: zipped }],
  ] as const) {
    test(`checks the credentials with a separate call to the core before the fetch if the body is ${what}`, async () => {
      const answer = await askFetch(gateway.http, question);
      assert.equal(answer.status, 200);
      assert.deepEqual(actions(), ['check', 'fetch']);
      assert.equal(core.calls[0]?.credentials?.token, 'a-token');
    });

    test(`refuses wrong credentials without a fetch call to the core if the body is ${what}`, async () => {
      core.script = refusing(new ServiceError('AUTH_3', 'No.'));
      const answer = await askFetch(gateway.http, question);
      assert.equal(answer.status, 401);
      assert.deepEqual(actions(), ['check']);
    });
  }

  test('refuses wrong credentials before the body arrives if Content-Length is over 64 KiB', {
    timeout: 10_000,
  }, async () => {
    core.script = refusing(new ServiceError('AUTH_1', 'No.'));
    const socket = stall(`Content-Length: ${SMALL + 1}`);
    const [first] = await once(socket, 'data');
    assert.match(String(first), /^HTTP\/1\.1 401 /);
    assert.match(String(first), /Connection: close/i);
    socket.destroy();
  });

  test('refuses wrong credentials as soon as more than 64 KiB of a body without Content-Length have arrived', {
    timeout: 10_000,
  }, async () => {
    core.script = refusing(new ServiceError('AUTH_1', 'No.'));
    const size = SMALL + 1;
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}`;
    const socket = stall('Transfer-Encoding: chunked', chunk);
    const [first] = await once(socket, 'data');
    assert.match(String(first), /^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('reads the rest of a refused body, so that the caller can receive the answer', async () => {
    core.script = refusing(new ServiceError('AUTH_1', 'No.'));
    const socket = stall('Transfer-Encoding: chunked', `100000\r\n${' '.repeat(SMALL * 2)}`);
    const [first] = await once(socket, 'data');
    assert.match(String(first), /^HTTP\/1\.1 401 /);
    const ended = once(socket, 'end');
    socket.write(`${' '.repeat(0x100000 - SMALL * 2)}\r\n0\r\n\r\n`);
    await ended;
  });
});

describe('the memory limit for all request bodies over 64 KiB', () => {
  const { core, gateway } = withGateway({}, { maxBodyMemory: 100_000 });
  const padded = oneServer.padEnd(90_000);
  const fetches = () => core.calls.filter(call => call.action === 'fetch').length;

  test('refuses a body that exceeds the remaining memory (503)', async () => {
    core.script = silent;
    const first = askFetch(gateway.http, { body: padded });
    await core.until(() => fetches() === 1);
    const second = await askFetch(gateway.http, { body: padded });
    assert.equal(second.status, 503);
    assert.equal(second.json.error, 'CORE_1');
    assert.equal(second.headers['retry-after'], '1');
    core.endStreams(status.UNAUTHENTICATED);
    assert.equal((await first).status, 503);
    core.script = agreeable;
    assert.equal((await askFetch(gateway.http, { body: padded })).status, 200);
  });

  test('does not apply to bodies of at most 64 KiB', async () => {
    core.script = silent;
    const first = askFetch(gateway.http, { body: padded });
    await core.until(() => fetches() === 1);
    core.script = agreeable;
    assert.equal((await askFetch(gateway.http, { body: small })).status, 200);
    core.endStreams(status.UNAUTHENTICATED);
    await first;
  });

  test('counts the decompressed size of a gzip body', async () => {
    core.script = silent;
    const first = askFetch(gateway.http, { body: gzipSync(padded), headers: zipped });
    await core.until(() => fetches() === 1);
    const second = await askFetch(gateway.http, { body: gzipSync(padded), headers: zipped });
    assert.equal(second.status, 503);
    core.endStreams(status.UNAUTHENTICATED);
    await first;
  });
});

test('readBody rejects with CallerGone if the caller closes the connection while its credentials are checked', {
  timeout: 10_000,
}, async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${SMALL + 1}\r\n\r\n{`);
  const [request] = await once(server, 'request');
  request.on('error', () => {});
  const allocation = new BodyAllocation(new BodyMemory(SMALL * 2), async () => {
    socket.destroy();
    await new Promise(resolve => request.once('close', resolve));
  });
  await assert.rejects(readBody(request, allocation), CallerGone);
  server.close();
});
