import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../gateway/ask.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { credentialHeaders, FETCH } from './rest.ts';

const SERVER = '127.0.0.1:27960';
const PATH = `/server/csgo/${encodeURIComponent(SERVER)}`;
const BROWSER = { Accept: 'text/html,application/xhtml+xml' };

describe('the page of a server', () => {
  let service: InProcess;
  before(async () => {
    service = await startInProcess({
      GSQ_ALLOW_TARGETS: '127.0.0.0/8',
      GSQ_PAGE: 'on',
    });
    const body = JSON.stringify({ servers: [{ game_id: 'csgo', servers: [SERVER] }] });
    const headers = { 'Content-Type': 'application/json', ...credentialHeaders(bootstrap) };
    await ask(service.http, { method: 'POST', path: FETCH, headers, body });
  });
  after(() => service.stop());

  it('shows status, chart, uptime and incidents without scripts', async () => {
    const { status, text } = await ask(service.http, { path: PATH, headers: BROWSER });
    assert.equal(status, 200, text);
    assert.match(text, /<title>127\.0\.0\.1:27960 · Counter-Strike: Global Offensive · gsq<\/title>/);
    assert.match(text, /data-status="pending"/);
    assert.match(text, /This server has not answered yet\./);
    assert.match(
      text,
      /<svg class="chart" .*aria-label="The number of players is not known in this time\."/s,
    );
    for (const window of ['24h', '7d', '30d', '365d']) assert.match(text, new RegExp(`<dt>${window}</dt>`));
    assert.match(text, /None is known\./);
    assert.match(
      text,
      /<link rel="alternate" type="application\/atom\+xml"[^>]* href="\/v1\/servers\/csgo\//,
    );
  });

  it('has charts of a day, a week, a month and a year', async () => {
    for (const [range, current] of [
      ['week', 'week'],
      ['month', 'month'],
      ['year', 'year'],
      ['era', 'day'],
    ]) {
      const { status, text } = await ask(service.http, { path: `${PATH}?range=${range}`, headers: BROWSER });
      assert.equal(status, 200, text);
      assert.match(text, new RegExp(`data-range="${current}" aria-current="true"`));
    }
  });

  it('counts as only one request towards the request limit, although the gateway makes four internal calls for the page', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ask(service.http, { path: PATH, headers: BROWSER })),
    );
    const shown = answers.filter(({ status }) => status === 200).length;
    // The limit is 20 requests per second, so 40 requests are possible in two seconds. If a page counted as four
    // requests, at most ten pages could be shown in this time. More than ten pages show that a page counts as one
    // request.
    assert.ok(shown > 10, `${shown} pages`);
    assert.ok(answers.every(({ status }) => status === 200 || status === 429));
  });

  it('answers 404 for a server that is not tracked, and does not insert the server', async () => {
    for (;;) {
      const { status, text } = await ask(service.http, {
        path: '/server/csgo/127.0.0.1:1',
        headers: BROWSER,
      });
      // Repeats the request if the previous test has used up the request limit of this second.
      if (status === 429) continue;
      assert.equal(status, 404);
      assert.match(text, /SERVER_1/);
      return;
    }
  });
});
