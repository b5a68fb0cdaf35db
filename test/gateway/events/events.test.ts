import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeEach, describe, it } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { ServiceError, toGrpcStatus } from '../../../proto/service-error.ts';
import { ask } from '../ask.ts';
import { runGateway, withGateway } from '../running-gateway.ts';
import { ScriptedCore } from '../scripted-core.ts';
import { sendEvent } from '../scripted-json.ts';
import { halfClosed, openEvents } from './open-events.ts';

const PATH = '/v1/events?server=rust/192.0.2.1:1&server=rust/192.0.2.2:1';
const snapshot = { servers: [{ game_id: 'rust', server: '192.0.2.1:1', name: 'line\nfeed' }], more: false };

describe('a stream of events', () => {
  const { core, gateway } = withGateway();
  beforeEach(() => {
    core.json.calls.length = 0;
    core.json.streams.length = 0;
    core.json.onEvents = stream => void sendEvent(stream, 'snapshot', 't-1', snapshot);
  });

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

  it('continues after the last event if the stream from the core fails, and the caller is not charged again', async () => {
    const client = await openEvents(gateway.http, PATH);
    await client.until(/id:t-1/);
    core.json.onEvents = (stream, { request }) => {
      assert.equal(request.resumeToken, 't-1');
      void sendEvent(stream, 'change', 't-2', { players: 3 });
    };
    core.json.streams[0]?.emit('error', { code: status.UNAVAILABLE });
    const text = await client.until(/id:t-2/);
    assert.equal(text.match(/event:snapshot/g)?.length, 1);
    const repeated = core.json.calls.map(({ metadata }) => metadata.get('x-gsq-repeated'));
    assert.deepEqual(repeated, [[], ['1']]);
    client.close();
  });

  it('ends with an event that contains the reason, but no retry time, if the token is no longer valid', async () => {
    const event = { error: 'AUTH_3', message: 'revoked' };
    for (const [accept, end] of [
      ['text/event-stream', `event:end\nid:t-1\ndata:${JSON.stringify(event)}\n\n`],
      ['application/x-ndjson', `${JSON.stringify({ event: 'end', id: 't-1', data: event })}\n`],
    ] as const) {
      core.json.calls.length = 0;
      const client = await openEvents(gateway.http, PATH, { Accept: accept });
      await client.until(/t-1/);
      core.json.streams.at(-1)?.emit('error', toGrpcStatus(new ServiceError('AUTH_3', 'revoked')));
      const text = await client.ended;
      assert.ok(text.endsWith(`\n${end}`), text);
      assert.equal(core.json.calls.length, 1);
    }
  });

  it('tells the client when to retry if the core refuses the stream temporarily', async () => {
    const client = await openEvents(gateway.http, PATH);
    await client.until(/id:t-1/);
    const error = new ServiceError('RATE_1', 'too many streams', { retryAfterSeconds: 30 });
    core.json.streams[0]?.emit('error', toGrpcStatus(error));
    assert.match(await client.ended, /event:end\n.*"RATE_1".*\n\nretry:30000\n\n$/s);
  });

  it('is cancelled in the core when the caller closes the connection, or closes only its sending half', async () => {
    for (const end of ['destroy', 'end'] as const) {
      core.json.calls.length = 0;
      const [host = '', port = ''] = gateway.http.split(':');
      const socket = connect(Number(port), host);
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await once(socket, 'data');
      socket[end]();
      await core.until(() => core.json.calls[0]?.cancelled === true);
      socket.destroy();
    }
  });

  it('is refused with the error of the core, even if the caller closes its sending half right after the request', {
    timeout: 20_000,
  }, async () => {
    for (const [code, head] of [
      ['RATE_1', 'HTTP/1.1 429 '],
      ['AUTH_3', 'HTTP/1.1 401 '],
    ] as const) {
      const client = halfClosed(gateway.http, PATH);
      core.json.onEvents = async stream => {
        await client.isEndReceived;
        stream.emit('error', toGrpcStatus(new ServiceError(code, 'refused')));
      };
      const text = await client.text;
      assert.ok(text.startsWith(head), text.slice(0, 100));
    }
  });

  it('ends at once, and is cancelled in the core, if the caller closes its sending half before the core accepts the stream', {
    timeout: 20_000,
  }, async () => {
    const client = halfClosed(gateway.http, PATH);
    core.json.onEvents = async stream => {
      await client.isEndReceived;
      void sendEvent(stream, 'snapshot', 't-1', snapshot);
    };
    assert.match(await client.text, /^HTTP\/1\.1 200 .*\r\n\r\n.*retry:\d{4}\n\n/s);
    await core.until(() => core.json.calls[0]?.cancelled === true);
  });

  it('is cancelled in the core at once if the caller closes the connection before the core accepts the stream', async () => {
    core.json.onEvents = () => {};
    const [host = '', port = ''] = gateway.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await core.until(() => core.json.calls.length === 1);
    socket.resetAndDestroy();
    await core.until(() => core.json.calls[0]?.cancelled === true);
  });

  it('makes the core wait while the caller does not read, and then sends every event', async () => {
    const data = 'x'.repeat(32 * 1024);
    let sent = 0;
    let blocked: () => void = () => {};
    const isBlocked = new Promise<void>(resolve => {
      blocked = resolve;
    });
    const MOST = 4_000;
    core.json.onEvents = async stream => {
      for (; sent < MOST && !stream.cancelled; sent++) {
        const timer = setTimeout(blocked, 500);
        await sendEvent(stream, 'change', `t-${sent}`, data);
        clearTimeout(timer);
      }
    };
    const [host = '', port = ''] = gateway.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(socket, 'readable');
    await isBlocked;
    assert.ok(sent < MOST, `the core has sent ${sent} events`);
    const atStop = sent;
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => {
      text += String(chunk);
      if (text.includes(`id:t-${atStop + 10}\n`)) socket.destroy();
    });
    await once(socket, 'close');
    const ids = [...text.matchAll(/^id:t-(\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      Array.from(ids, (_, i) => i),
    );
  });
});

describe('the event streams of a gateway', () => {
  it('tell clients when to reconnect if the gateway shuts down', async () => {
    const core = new ScriptedCore();
    await core.start();
    core.json.onEvents = stream => void sendEvent(stream, 'snapshot', 't-1', snapshot);
    const { http, ops, running } = await runGateway(core.address);
    const client = await openEvents(http, PATH);
    await client.until(/snapshot/);
    const metrics = await (await fetch(`http://${ops}/metrics`)).text();
    assert.match(metrics, /^gsq_gateway_event_streams 1$/m);
    await running.drain();
    assert.match(await client.ended, /\nretry:\d{4}\n\n$/);
    core.stop();
  });

  it('are refused with 503 and Retry-After if the gateway shuts down while they are being opened', async t => {
    const core = new ScriptedCore();
    await core.start();
    t.after(() => core.stop());
    const { http, running } = await runGateway(core.address);
    const answer = ask(http, { path: PATH });
    await core.until(() => core.json.calls.length === 1);
    await running.drain();
    const { status, json, headers } = await answer;
    assert.equal(`${status} ${json.error}`, '503 CORE_1');
    assert.equal(headers['retry-after'], '1');
  });

  it('survive a restart of the core', async () => {
    const core = new ScriptedCore();
    await core.start();
    core.json.onEvents = (stream, { request }) =>
      void sendEvent(stream, 'change', `${request.resumeToken || 't'}+`, null);
    const { http, running } = await runGateway(core.address);
    const client = await openEvents(http, PATH);
    await client.until(/id:t\+\n/);
    core.stop();
    await core.start();
    await client.until(/id:t\+\+\n/);
    client.close();
    await running.drain();
    core.stop();
  });

  it('are refused if the core cannot be reached', async () => {
    const { http, running } = await runGateway('127.0.0.1:1');
    const answer = await ask(http, { path: PATH });
    assert.equal(`${answer.status} ${answer.json.error}`, '503 CORE_1');
    await running.drain();
  });
});
