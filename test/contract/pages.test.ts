import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, FETCH } from './rest.ts';

const SERVER = '127.0.0.1:27960';
const BROWSER = { Accept: 'text/html,application/xhtml+xml' };

describe('the page of all servers while GSQ_PAGE is on', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess({
      GSQ_ALLOW_TARGETS: '127.0.0.0/8',
      GSQ_PAGE: 'on',
      GSQ_CONTACT: 'ops@example.com',
    });
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: [SERVER] }] });
    const headers = { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap) };
    await ask(service.http, { method: 'POST', path: FETCH, headers, body });
  });
  after(() => service.stop());

  it('shows the tracked servers as HTML, and forbids content of other hosts (Content-Security-Policy)', async () => {
    const { status, text, headers } = await ask(service.http, { path: '/', headers: BROWSER });
    assert.equal(status, 200, text);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(text, /^<!doctype html><html lang="en">/);
    assert.match(text, /<a href="\/server\/csgo\/127\.0\.0\.1%3A27960"><bdi>127\.0\.0\.1:27960<\/bdi><\/a>/);
    assert.match(text, /ops@example\.com/);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'sha256-/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
  });

  it('refers only to scripts and styles that the gateway serves', async () => {
    const { text } = await ask(service.http, { path: '/', headers: BROWSER });
    const paths = [...text.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
    assert.ok(paths.some(path => path.endsWith('.css')) && paths.some(path => path.endsWith('.js')), text);
    for (const path of paths) {
      const { status, headers } = await ask(service.http, { path });
      assert.equal(status, 200, path);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
  });

  it('shows HTML tags in a search text as plain text', async () => {
    const { text } = await ask(service.http, { path: '/?q=%22%3E%3Cscript%3Ealert(1)', headers: BROWSER });
    assert.doesNotMatch(text, /<script>alert/);
    assert.match(
      text,
      /value="&quot;&gt;&lt;script>alert\(1\)|value="&quot;&gt;&lt;script&gt;alert\(1\)|value="&quot;>&lt;script>alert\(1\)"/,
    );
  });

  it('shows an error as a page to browsers, and as JSON to other callers', async () => {
    const page = await ask(service.http, { path: '/?game=nogame', headers: BROWSER });
    assert.equal(page.status, 400);
    assert.match(page.text, /QUERY_1/);
    const { status, json } = await ask(service.http, { path: '/?game=nogame' });
    assert.deepEqual([status, json.error], [400, 'QUERY_1']);
  });

  it('is open to search engines, but robots.txt forbids the API to them', async () => {
    const { text } = await ask(service.http, { path: '/robots.txt' });
    assert.equal(text, 'User-agent: *\nDisallow: /v1/\nDisallow: /oembed\n');
  });

  it('answers HEAD like GET, but without a body', async () => {
    for (const path of ['/', '/robots.txt', '/status', '/docs']) {
      const { status, text, headers } = await ask(service.http, { method: 'HEAD', path, headers: BROWSER });
      assert.deepEqual([status, text], [200, ''], path);
      assert.ok(headers['content-type'], path);
    }
  });

  it('is not shown under a host name that does not belong to the service', async () => {
    const { status } = await ask(service.http, {
      path: '/',
      headers: { ...BROWSER, Host: 'attacker.example' },
    });
    assert.equal(status, 404);
  });
});

describe('the page of all servers while GSQ_PAGE is off', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess();
  });
  after(() => service.stop());

  it('answers 404, and says which setting turns the page on', async () => {
    const page = await ask(service.http, { path: '/', headers: BROWSER });
    assert.equal(page.status, 404);
    assert.match(page.text, /GSQ_PAGE=on/);
    const { status, json } = await ask(service.http, { path: '/' });
    assert.deepEqual([status, json.error], [404, 'ROUTE_1']);
    assert.match(String(json.message), /GSQ_PAGE=on/);
  });

  it('is forbidden to search engines (robots.txt)', async () => {
    const { text } = await ask(service.http, { path: '/robots.txt' });
    assert.equal(text, 'User-agent: *\nDisallow: /\n');
  });
});
