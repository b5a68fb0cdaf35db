import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { type InProcess, startInProcess } from './in-process.ts';

const PATHS = ['/docs', '/openapi.json', '/llms.txt'];

describe('the documentation pages of the API', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess();
  });
  after(() => service.stop());

  it('are public, even while GSQ_PAGE is off', async () => {
    for (const path of PATHS) {
      const { status, text } = await ask(service.http, { path, headers: { Host: 'gsq.example' } });
      assert.equal(status, 200, `${path}: ${text}`);
    }
  });

  it('link only to pages that the gateway serves', async () => {
    const { text } = await ask(service.http, { path: '/docs' });
    for (const [, path = ''] of text.matchAll(/href="(\/[^"]*)"/g)) {
      const { status } = await ask(service.http, { path });
      assert.equal(status, 200, path);
    }
  });

  it('answer 304 if the caller already has the current version', async () => {
    for (const path of PATHS.slice(1)) {
      const { headers } = await ask(service.http, { path });
      const again = await ask(service.http, { path, headers: { 'If-None-Match': String(headers.etag) } });
      assert.deepEqual([again.status, again.text], [304, ''], path);
    }
  });

  it('contain the URL of the gateway, but never a host name that an attacker sends in the Host header', async () => {
    const { text } = await ask(service.http, { path: '/llms.txt' });
    assert.match(text, /^- Base URL: http:\/\/127\.0\.0\.1:\d+$/m);
    const other = await ask(service.http, { path: '/llms.txt', headers: { Host: 'attacker.example' } });
    assert.doesNotMatch(other.text, /attacker/);
  });

  it('include a text for language models (/llms.txt) that lists each path of the OpenAPI document', async () => {
    const { json } = await ask(service.http, { path: '/openapi.json' });
    const { text } = await ask(service.http, { path: '/llms.txt' });
    for (const path of Object.keys(json.paths as object)) assert.ok(text.includes(` ${path}\``), path);
  });
});
