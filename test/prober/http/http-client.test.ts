import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { guardedLookup } from '../../../prober/directories/guarded-lookup.ts';
import { HttpClient } from '../../../prober/http/http-client.ts';
import { type Answering, FakeDirectories, nothing, status } from '../directories/fake-directories.ts';
import { ManualClock } from '../politeness/manual-clock.ts';

const HOST = 'api.epicgames.dev';
const LIMITS = { timeoutMs: 1000, maxBytes: 1000 };

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

function client({ ca = fake.ca, allowed = true } = {}) {
  const clock = new ManualClock();
  const http = new HttpClient({
    lookup: guardedLookup({
      resolve: async () => ({ kind: 'addresses', addresses: ['127.0.0.1'] }),
      allows: () => allowed,
    }),
    userAgent: 'test',
    wheel: clock.wheel,
    ca,
  });
  return { clock, http };
}

const origin = (host = HOST) => fake.origins[`https://${host}`] ?? '';

async function got(answering: Answering, options = {}, path = '/start') {
  fake.answering.set(HOST, answering);
  fake.seen.length = 0;
  const { http } = client(options);
  try {
    return await http.fetch({ method: 'GET', url: new URL(path, origin()) }, LIMITS);
  } finally {
    http.close();
  }
}

test('the HTTP client returns a redirect to its caller and does not follow it', async () => {
  const reply = await got(status(302, { location: '/other' }));
  assert.deepEqual([reply.status, reply.headers.location], [302, '/other']);
  assert.equal(fake.seen.length, 1);
});

test('the HTTP client rejects a body above the size limit, whether it is compressed or not', async () => {
  const body = (bytes: number) => Buffer.alloc(bytes, 'x');
  assert.equal((await got((_, response) => void response.end(body(1000)))).body.length, 1000);
  await assert.rejects(
    got((_, response) => void response.end(body(1001))),
    /more than 1000 bytes/,
  );
  const packed =
    (bytes: number): Answering =>
    (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body(bytes)));
  assert.equal((await got(packed(1000))).body.length, 1000);
  // The body of 100,000 bytes exceeds the limit of 1000 bytes only after decompression.
  for (const bytes of [1 << 20, 100_000]) await assert.rejects(got(packed(bytes)), /more than 1000 bytes/);
});

test('the HTTP client accepts an empty body that is declared as compressed, and the encoding name `GZIP` in capital letters', async () => {
  const unchanged = await got(status(304, { 'content-encoding': 'gzip' }));
  assert.deepEqual([unchanged.status, unchanged.body.length], [304, 0]);
  const packed = await got(
    (_, response) => void response.writeHead(200, { 'content-encoding': 'GZIP' }).end(gzipSync('list')),
  );
  assert.equal(packed.body.toString(), 'list');
  await assert.rejects(
    got((_, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('x')),
    /packed as br/,
  );
});

test('the HTTP client rejects an untrusted certificate and a certificate for another host', async () => {
  const { http } = client({ ca: '' });
  await assert.rejects(
    http.fetch({ method: 'GET', url: new URL('/', origin()) }, LIMITS),
    /UNABLE_TO_VERIFY/,
  );
  http.close();
  const byAddress = origin().replace(HOST, '127.0.0.1');
  const { http: honest } = client();
  await assert.rejects(honest.fetch({ method: 'GET', url: new URL('/', byAddress) }, LIMITS), /ALTNAME/);
  honest.close();
});

test('the HTTP client does not connect if the host name resolves to a forbidden address', async () => {
  await assert.rejects(got(status(200), { allowed: false }), /has no address that may be connected to/);
  assert.equal(fake.seen.length, 0);
});

test('the HTTP client does not connect if the URL contains a forbidden IP address', async () => {
  const port = new URL(origin()).port;
  const { http } = client({ allowed: false });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]']) {
    const url = new URL(`http://${host}:${port}/`);
    await assert.rejects(
      http.fetch({ method: 'GET', url }, LIMITS),
      /has no address that may be connected to/,
    );
  }
  http.close();
});

test('the HTTP client limits the time for a complete reply, even if a part of the reply has arrived', async () => {
  const begun: Answering = (_, response) => void response.writeHead(200).write('x');
  for (const answering of [nothing, begun]) {
    fake.answering.set(HOST, answering);
    const { clock, http } = client();
    const arrived = fake.arrival();
    const fetching = http.fetch({ method: 'GET', url: new URL('/', origin()) }, LIMITS);
    await arrived;
    clock.pass(1100);
    await assert.rejects(fetching, /no whole answer within 1000 ms/);
    http.close();
  }
});
