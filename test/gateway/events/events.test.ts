import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { ServiceError, toGrpcStatus } from '../../../proto/service-error.ts';
import { ask } from '../ask.ts';
import { sendEvent } from '../scripted-json.ts';
import { PATH, snapshot, withEvents } from './gateway-with-events.ts';
import { openEvents } from './open-events.ts';

describe('a stream of events', () => {
  const { core, gateway } = withEvents();

  it('consists of server-sent events, with headers that forbid proxies to change, compress or buffer them', async () => {
    const client = await openEvents(gateway.http, PATH);
    const { headers } = client.response;
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store, no-transform');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['content-encoding'], undefined);
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    const text = await client.until(/snapshot/);
    assert.match(text, /^retry:\d{4}\n\n/);
    const event = text.slice(text.indexOf('event:'));
    assert.equal(event, `event:snapshot\nid:t-1\ndata:${JSON.stringify(snapshot)}\n\n`);
    client.close();
  });

  it('consists of the JSON lines from the core if the caller accepts application/x-ndjson', async () => {
    const client = await openEvents(gateway.http, PATH, { Accept: 'application/x-ndjson' });
    assert.equal(client.response.headers['content-type'], 'application/x-ndjson');
    const text = await client.until(/\n/);
    assert.deepEqual(JSON.parse(text), { event: 'snapshot', id: 't-1', data: snapshot });
    client.close();
  });

  it('follows the servers in the query, and continues after the last event that the caller has received', async () => {
    const requests: [string, Record<string, string>, string][] = [
      [PATH, {}, ''],
      [PATH, { 'Last-Event-ID': 't-7' }, 't-7'],
      [`${PATH}&last_event_id=t-8`, {}, 't-8'],
      [`${PATH}&last_event_id=t-8`, { 'Last-Event-ID': 't-9' }, 't-9'],
      [`${PATH}&resume_token=t-6`, {}, 't-6'],
    ];
    for (const [path, headers, token] of requests) {
      core.json.calls.length = 0;
      const client = await openEvents(gateway.http, path, headers);
      const { server, resumeToken } = core.json.calls[0]?.request ?? {};
      assert.deepEqual([server, resumeToken], [['rust/192.0.2.1:1', 'rust/192.0.2.2:1'], token]);
      client.close();
    }
  });

  it('is refused with a JSON body if the core refuses the stream or the query is not valid', async () => {
    core.json.onEvents = stream => {
      const error = new ServiceError('RATE_1', 'too many streams', { retryAfterSeconds: 30 });
      stream.emit('error', toGrpcStatus(error));
    };
    const refused = await ask(gateway.http, { path: PATH });
    assert.equal(`${refused.status} ${refused.json.error}`, '429 RATE_1');
    assert.equal(refused.headers['retry-after'], '30');
    core.json.calls.length = 0;
    const bad = await ask(gateway.http, { path: '/v1/events?servers=x' });
    assert.equal(`${bad.status} ${bad.json.error}`, '400 QUERY_1');
    assert.equal(core.json.calls.length, 0);
  });

  it('has the rate limit headers of the token, even if the core refuses the stream', async () => {
    const metadata = new Metadata();
    metadata.set('x-gsq-token-id', 'tok_1');
    metadata.set('x-gsq-allowance', 'day;1440;7;86400;60');
    core.json.onEvents = stream => {
      stream.sendMetadata(metadata);
      void sendEvent(stream, 'snapshot', 't-1', snapshot);
    };
    const client = await openEvents(gateway.http, PATH);
    assert.equal(client.response.headers.ratelimit, '"day";r=7;t=60');
    client.close();
    core.json.onEvents = stream => {
      stream.sendMetadata(metadata);
      stream.emit('error', toGrpcStatus(new ServiceError('RATE_1', 'too many streams')));
    };
    const refused = await ask(gateway.http, { path: PATH });
    assert.deepEqual([refused.status, refused.headers['x-ratelimit-remaining']], [429, '7']);
  });

  it('begins even if the core sends nothing yet', async () => {
    core.json.onEvents = () => {};
    const client = await openEvents(gateway.http, PATH, { 'Last-Event-ID': 't-1' });
    assert.equal(client.response.statusCode, 200);
    client.close();
  });
});
