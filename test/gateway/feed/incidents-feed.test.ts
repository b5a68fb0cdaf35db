import assert from 'node:assert/strict';
import { get } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../../proto/service-error.ts';
import { ask } from '../ask.ts';
import { withGateway } from '../running-gateway.ts';

const PATH = '/v1/servers/rust/192.0.2.1:1/incidents.atom';
const incidents = [
  { started: '2026-11-24T18:00:00.000Z', ended: null, reason: 'no_reply' },
  { started: '2026-11-23T18:00:00.000Z', ended: '2026-11-23T19:00:00.000Z', reason: 'refused' },
];
const page = { game_id: 'rust', server: '192.0.2.1:1', incidents, next_page_token: '' };

/** Sends a GET request to the gateway. Returns the status, the headers and the decompressed text of the answer. */
function read(address: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      get(`http://${address}${PATH}`, { headers, agent: false }, response => {
        const chunks: Buffer[] = [];
        response
          .on('data', chunk => chunks.push(chunk))
          .on('end', () => {
            const bytes = Buffer.concat(chunks);
            const text = bytes.length > 0 ? gunzipSync(bytes).toString() : '';
            resolve({ status: response.statusCode, headers: response.headers, text });
          });
      }).on('error', reject);
    },
  );
}

const idsIn = (text: string) => [...text.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id);

describe('the Atom feed of incidents', () => {
  const { core, gateway } = withGateway();
  beforeEach(() => {
    core.json.script = () => ({ json: JSON.stringify(page) });
  });

  it('has an entry for each incident', async () => {
    const { status, headers, text } = await read(gateway.http);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.match(text, /<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/);
    assert.equal(text.match(/<entry>/g)?.length, 2);
    assert.match(text, /is offline: no_reply/);
    assert.match(text, /was offline: refused/);
    assert.ok(text.includes(`http://${gateway.http}/v1/servers/rust/192.0.2.1%3A1/incidents.atom`));
    assert.match(text, /<updated>2026-11-24T18:00:00\.000Z<\/updated>/);
  });

  it('has the same ids in each answer, and status 304 if the caller sends the entity tag of the feed', async () => {
    const first = await read(gateway.http);
    const second = await read(gateway.http);
    assert.deepEqual(idsIn(first.text), idsIn(second.text));
    assert.equal(new Set(idsIn(first.text)).size, 3);
    const etag = String(first.headers.etag);
    assert.equal((await read(gateway.http, { 'If-None-Match': etag })).status, 304);
  });

  it('contains no link to a foreign host that a caller sends in the Host header', async () => {
    const { text } = await read(gateway.http, { Host: 'evil.example' });
    assert.doesNotMatch(text, /evil/);
    assert.equal(text.match(/<entry>/g)?.length, 2);
  });

  it('is well-formed XML even if texts from the core contain XML markup', async () => {
    const hostile = ']]><script>&"\'</title>';
    core.json.script = () => ({
      json: JSON.stringify({ ...page, server: hostile, incidents: [{ ...incidents[0], reason: hostile }] }),
    });
    const { text } = await read(gateway.http);
    const outside = text.replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>/g, '');
    assert.doesNotMatch(outside, /<script>/);
    assert.equal(text.match(/<\/title>/g)?.length, 2);
  });

  it('is replaced by a JSON error with the status 404 if the server is not tracked', async () => {
    core.json.script = () => ({ error: new ServiceError('SERVER_1', 'not tracked') });
    const answer = await ask(gateway.http, { path: PATH });
    assert.equal(`${answer.status} ${answer.json.error}`, '404 SERVER_1');
    assert.match(String(answer.headers['content-type']), /^application\/json/);
  });
});
