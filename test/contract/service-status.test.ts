import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders } from './rest.ts';

const PATH = '/v1/status';
const BROWSER = { Accept: 'text/html' };

describe('the status of the service while GSQ_PAGE (public access) is on', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess({ GSQ_PAGE: 'on' });
  });
  after(() => service.stop());

  it('shows only five values about the health of the service to callers without a token', async () => {
    const { status, json } = await ask(service.http, { path: PATH });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      probers: 0,
      schedule_lag_seconds: 0,
      outage: false,
      store_healthy: true,
      limited: 0,
    });
  });

  it('is a page that says what is broken, and what the operator can do', async () => {
    const { status, text } = await ask(service.http, { path: '/status', headers: BROWSER });
    assert.equal(status, 200, text);
    assert.match(text, /<h1>This service needs attention<\/h1>/);
    assert.match(text, /None is connected, so no game server is asked\./);
    assert.match(text, /Start a prober: npm run prober\./);
    assert.doesNotMatch(text, /\d+\.\d+\.\d+/, 'a version or an address');
  });
});

describe('the status of the service while GSQ_PAGE (public access) is off', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess();
  });
  after(() => service.stop());

  it('needs credentials, and is not available as a web page (/status)', async () => {
    const { status, json } = await ask(service.http, { path: PATH });
    assert.deepEqual([status, json.error], [401, 'AUTH_1']);
    const answered = await ask(service.http, { path: PATH, headers: credentialHeaders(bootstrap) });
    assert.deepEqual([answered.status, answered.json.probers], [200, 0]);
    assert.equal((await ask(service.http, { path: '/status', headers: BROWSER })).status, 404);
  });
});
