import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, FETCH } from './rest.ts';

const SERVER = '127.0.0.1:27960';
const NAME = `csgo/${encodeURIComponent(SERVER)}`;
const PATHS = [`/badge/${NAME}.svg`, `/card/${NAME}.svg`, `/embed/${NAME}`];

async function start(env: Record<string, string>): Promise<InProcess> {
  const service = await startInProcess({ GSQ_ALLOW_TARGETS: '127.0.0.0/8', ...env });
  const body = JSON.stringify({
    servers: [{ game_id: 'csgo', servers: [SERVER, '[::ffff:127.0.0.1]:27961'] }],
  });
  const headers = { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap) };
  await ask(service.http, { method: 'POST', path: FETCH, headers, body });
  return service;
}

describe('embeddable badges, cards and iframes (GSQ_PAGE=on)', () => {
  let service: InProcess;
  before(async () => {
    service = await start({ GSQ_PAGE: 'on' });
  });
  after(() => service.stop());

  it('can be stored in shared caches, and are answered with 304 if they have not changed', async () => {
    for (const path of PATHS) {
      const { status, headers } = await ask(service.http, { path });
      assert.equal(status, 200, path);
      assert.match(String(headers['cache-control']), /^public, max-age=\d+$/);
      const again = await ask(service.http, { path, headers: { 'If-None-Match': String(headers.etag) } });
      assert.deepEqual([again.status, again.text], [304, '']);
    }
  });

  it('are the same with valid, wrong or no credentials, and do not count against the quota of a token', async () => {
    for (const path of PATHS) {
      const { headers } = await ask(service.http, { path, headers: credentialHeaders(bootstrap) });
      assert.match(String(headers['cache-control']), /^public/);
      assert.equal(headers.ratelimit, undefined);
      const wrong = { 'X-API-Token': 'wrong', 'X-API-Token-Type': 'FREE', 'X-API-Token-Email': 'a@b.c' };
      assert.equal((await ask(service.http, { path, headers: wrong })).status, 200);
    }
  });

  it('cannot run scripts, even if a browser opens the SVG image directly', async () => {
    const { headers } = await ask(service.http, { path: PATHS[0] ?? '' });
    assert.equal(headers['content-type'], 'image/svg+xml; charset=utf-8');
    assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'unsafe-inline'");
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  });

  it('allow other sites to show the iframe', async () => {
    const { headers } = await ask(service.http, { path: PATHS[2] ?? '' });
    assert.match(String(headers['content-security-policy']), /frame-ancestors \*/);
  });

  it('are answered with 404 for a server that is not tracked', async () => {
    for (const path of PATHS) {
      const { status, json } = await ask(service.http, { path: path.replace('27960', '27999') });
      assert.deepEqual([status, json.error], [404, 'SERVER_1'], path);
    }
  });

  it('refuse an unknown theme', async () => {
    const { status, json } = await ask(service.http, { path: `/card/${NAME}.svg?theme=pink` });
    assert.deepEqual([status, json.error], [400, 'QUERY_1']);
  });

  it('are described by the path /oembed for the URL of a server page; any other URL gets 404', async () => {
    const oembed = (url: string, more = '') =>
      ask(service.http, { path: `/oembed?url=${encodeURIComponent(url)}${more}` });
    const { status, json } = await oembed(`http://${service.http}/server/${NAME}`, '&maxwidth=300');
    assert.equal(status, 200);
    assert.deepEqual([json.version, json.type, json.width, json.title], ['1.0', 'rich', 300, SERVER]);
    assert.match(String(json.html), new RegExp(`^<iframe src="http://${service.http}/embed/${NAME}" `));
    for (const url of [`http://attacker.example/server/${NAME}`, `http://${service.http}/`, ''])
      assert.equal((await oembed(url)).status, 404, url);
    const xml = await oembed(`http://${service.http}/server/${NAME}`, '&format=xml');
    assert.equal(xml.status, 400);
  });
});

describe('the PNG status card of a server', () => {
  let service: InProcess;
  before(async () => {
    service = await start({ GSQ_PAGE: 'on' });
  });
  after(() => service.stop());
  const path = `/card/${NAME}.png`;

  it('can be cached until the next probe, and is sent without gzip', async () => {
    const { bytes, headers } = await ask(service.http, { path, headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['content-encoding'], undefined);
    assert.match(String(headers['cache-control']), /^public, max-age=\d+$/);
    const again = await ask(service.http, { path, headers: { 'If-None-Match': String(headers.etag) } });
    assert.deepEqual([again.status, again.text], [304, '']);
  });

  it('answers an invalid theme and an unknown server with the same errors as the SVG card', async () => {
    const wrong = await ask(service.http, { path: `${path}?theme=pink` });
    assert.deepEqual([wrong.status, wrong.json.error], [400, 'QUERY_1']);
    const missing = await ask(service.http, { path: '/card/csgo/127.0.0.1%3A1.png' });
    assert.deepEqual([missing.status, missing.json.error], [404, 'SERVER_1']);
  });
});

describe('embeddable badges, cards and iframes (GSQ_PAGE=off)', () => {
  let service: InProcess;
  before(async () => {
    service = await start({});
  });
  after(() => service.stop());

  it('are answered with 404 to every caller, with and without credentials', async () => {
    for (const path of [
      ...PATHS,
      `/card/${NAME}.png`,
      '/oembed',
      '/server/csgo/127.0.0.1%3A27960',
      '/status',
    ]) {
      for (const headers of [{}, credentialHeaders(bootstrap)]) {
        const { status, json } = await ask(service.http, { path, headers });
        assert.deepEqual([status, json.error], [404, 'ROUTE_1'], path);
      }
    }
  });
});
