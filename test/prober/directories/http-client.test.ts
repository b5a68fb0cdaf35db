import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HttpClient, redirected } from '../../../prober/directories/http-client.ts';
import { judgedLookup } from '../../../prober/directories/judged-lookup.ts';
import { ManualClock } from '../politeness/manual-clock.ts';
import { type Answering, FakeDirectories, nothing, status } from './fake-directories.ts';

const HOST = 'api.epicgames.dev';
const OTHER = 'discord.com';

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

function client({ ca = fake.ca, maxBytes = 1000, allowed = true } = {}) {
  const clock = new ManualClock();
  const http = new HttpClient({
    lookup: judgedLookup({
      resolve: async () => ({ kind: 'addresses', addresses: ['127.0.0.1'] }),
      allows: () => allowed,
    }),
    userAgent: 'test',
    wheel: clock.wheel,
    ca,
    maxBytes,
  });
  return { clock, http };
}

const origin = (host = HOST) => fake.origins[`https://${host}`] ?? '';

async function got(answering: Answering, options = {}, path = '/start') {
  fake.answering.set(HOST, answering);
  fake.seen.length = 0;
  const { http } = client(options);
  try {
    return await http.fetch({ method: 'GET', url: new URL(path, origin()) }, 1000);
  } finally {
    http.close();
  }
}

const redirectsTo =
  (location: string): Answering =>
  (request, response) =>
    request.url === '/start' ? void response.writeHead(302, { location }).end() : void response.end('there');

test('follows a redirect within the host', async () => {
  assert.equal((await got(redirectsTo('/other'))).body.toString(), 'there');
  assert.equal((await got(redirectsTo(`${origin()}/other`))).body.toString(), 'there');
});

test('follows no redirect to another host, port or scheme, and none without end', async () => {
  fake.answering.set(OTHER, (_, response) => void response.end('elsewhere'));
  const elsewhere = [
    `${origin(OTHER)}/other`,
    `https://${HOST}/other`,
    `http://${new URL(origin()).host}/other`,
    'https://127.0.0.1/',
    'file:///etc/passwd',
  ];
  for (const location of elsewhere) {
    await assert.rejects(got(redirectsTo(location)), /which is not followed/, location);
  }
  await assert.rejects(got(redirectsTo('https://[')), /no URL/);
  await assert.rejects(got(redirectsTo('/start')), /more than 3 times/);
  assert.ok(fake.seen.every(({ host }) => host === HOST));
});

test('follows a host from http to https, and never back or to another host', () => {
  const from = (url: string, location: string) => redirected(new URL(url), location).href;
  assert.equal(from('http://a.example/list', 'https://a.example/list'), 'https://a.example/list');
  for (const [url, location] of [
    ['http://a.example/', 'https://b.example/'],
    ['http://a.example/', 'https://a.example:8443/'],
    ['http://a.example/', 'https://a.example.b.example/'],
    ['https://a.example/', 'http://a.example/'],
    ['https://a.example/', '//b.example/'],
  ] as const) {
    assert.throws(() => from(url, location), /which is not followed/, location);
  }
});

test('leaves redirects of what was posted alone', async () => {
  fake.answering.set(HOST, redirectsTo('/other'));
  const { http } = client();
  const reply = await http.fetch({ method: 'POST', url: new URL('/start', origin()), body: 'x' }, 1000);
  assert.equal(reply.status, 302);
  http.close();
});

test('reads so many bytes and no more, packed or not', async () => {
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
  await assert.rejects(got(packed(1 << 20)), /more than 1000 bytes/);
});

test('trusts no certificate that nobody vouches for', async () => {
  const { http } = client({ ca: '' });
  await assert.rejects(http.fetch({ method: 'GET', url: new URL('/', origin()) }, 1000), /UNABLE_TO_VERIFY/);
  http.close();
  const byAddress = origin().replace(HOST, '127.0.0.1');
  const { http: honest } = client();
  await assert.rejects(honest.fetch({ method: 'GET', url: new URL('/', byAddress) }, 1000), /ALTNAME/);
  honest.close();
});

test('connects to no address that was refused', async () => {
  await assert.rejects(got(status(200), { allowed: false }), /has no address that may be connected to/);
  assert.equal(fake.seen.length, 0);
});

test('connects to no address in a URL that was refused', async () => {
  const port = new URL(origin()).port;
  const { http } = client({ allowed: false });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]']) {
    const url = new URL(`http://${host}:${port}/`);
    await assert.rejects(http.fetch({ method: 'GET', url }, 1000), /has no address that may be connected to/);
  }
  http.close();
});

test('waits for a whole answer and no longer, also where it comes in drops', async () => {
  const begun: Answering = (_, response) => void response.writeHead(200).write('x');
  for (const answering of [nothing, begun]) {
    fake.answering.set(HOST, answering);
    const { clock, http } = client();
    const arrived = fake.arrival();
    const fetching = http.fetch({ method: 'GET', url: new URL('/', origin()) }, 1000);
    await arrived;
    clock.pass(1100);
    await assert.rejects(fetching, /no whole answer within 1000 ms/);
    http.close();
  }
});
