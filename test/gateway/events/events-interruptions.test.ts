import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ServiceError, toGrpcStatus } from '../../../proto/service-error.ts';
import { ask } from '../ask.ts';
import { runGateway } from '../running-gateway.ts';
import { ScriptedCore } from '../scripted-core.ts';
import { sendEvent } from '../scripted-json.ts';
import { PATH, snapshot, withEvents } from './gateway-with-events.ts';
import { openEvents } from './open-events.ts';

describe('a stream of events', () => {
  const { core, gateway } = withEvents();

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
