import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { askFetch, credentials, oneServer } from './ask.ts';
import { agreeable } from './core-scripts.ts';
import { runGateway, withGateway } from './running-gateway.ts';

describe('a REST caller', () => {
  const { core, gateway } = withGateway({ GSQ_REQUEST_TIMEOUT: '200ms' }, { maxInFlight: 3, parkMs: 5000 });

  test('gets 504 CORE_2 if the core does not answer within the time limit', async () => {
    core.script = () => undefined;
    const answer = await askFetch(gateway.http);
    assert.equal(answer.status, 504);
    assert.equal(answer.json.error, 'CORE_2');
    assert.equal(answer.json.request_id, answer.headers['x-request-id']);
  });

  test('gets 503 CORE_1 with Retry-After if the streams to the core end with a permanent error', async () => {
    core.script = () => undefined;
    const dying = askFetch(gateway.http);
    await core.until(() => core.calls.length === 1);
    core.endStreams(status.UNAUTHENTICATED);
    const answer = await dying;
    assert.equal(answer.status, 503);
    assert.equal(answer.json.error, 'CORE_1');
    assert.equal(answer.headers['retry-after'], '1');
  });

  test('gets 503 CORE_1 while the number of calls to the core is at its maximum', async () => {
    core.script = () => undefined;
    const held = [askFetch(gateway.http), askFetch(gateway.http), askFetch(gateway.http)];
    await core.until(() => core.calls.length === 3);
    const answer = await askFetch(gateway.http);
    assert.equal(answer.status, 503);
    assert.equal(answer.json.error, 'CORE_1');
    assert.equal(answer.headers['retry-after'], '1');
    for (const one of await Promise.all(held)) assert.equal(one.status, 504);
  });

  test('gets no 504 at the end of the usual time limit if the request has the header `Prefer: wait`', async () => {
    core.script = () => undefined;
    const waiting = askFetch(gateway.http, { headers: { Prefer: 'wait=5' } });
    const plain = await askFetch(gateway.http);
    assert.equal(plain.status, 504);
    core.endStreams(status.UNAUTHENTICATED);
    assert.equal((await waiting).status, 503, 'the waiting call was still in flight');
  });

  test('gets 200 after the core has started, even if the core was not running when the gateway started', async () => {
    core.stop();
    const early = await runGateway(core.address, {}, { parkMs: 1 });
    try {
      assert.equal((await askFetch(early.http)).status, 503);
      await core.start();
      await core.until(() => core.streams === 8);
      assert.equal((await askFetch(early.http)).status, 200);
    } finally {
      await early.running.drain();
    }
  });
});

describe('a REST caller', () => {
  const { core, gateway } = withGateway();

  test('gets 200 even if the gRPC stream to the core ends during its request, because the gateway sends the call again', async () => {
    core.script = () => undefined;
    const dying = askFetch(gateway.http);
    await core.until(() => core.calls.length === 1);
    core.script = agreeable;
    core.endStreams(status.UNAVAILABLE);
    assert.equal((await dying).status, 200);
    assert.equal(core.calls.length, 2);
  });
});

describe('a gateway that drains', () => {
  const { core } = withGateway();

  test('accepts no new connections, and ends after it has answered the requests in progress', async () => {
    const leaving = await runGateway(core.address);
    core.script = () => undefined;
    const inFlight = fetch(`http://${leaving.http}/v1/post/fetch`, {
      method: 'POST',
      headers: { ...credentials, 'Content-Type': 'application/json' },
      body: oneServer,
    });
    await core.until(() => core.calls.length === 1);
    const drained = leaving.running.drain();
    await assert.rejects(askFetch(leaving.http), { code: 'ECONNREFUSED' });
    const [call] = core.calls;
    assert.ok(call);
    core.say({ ...agreeable(call), id: call.id });
    const answer = await inFlight;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('connection'), 'close');
    await drained;
  });
});

test('startGateway rejects if its address is already in use, and the error contains this address', async () => {
  const first = await runGateway('127.0.0.1:1');
  const taken = { GSQ_HTTP_ADDR: first.http };
  await assert.rejects(
    runGateway('127.0.0.1:1', taken),
    new RegExp(`^ConfigError: GSQ_HTTP_ADDR: ${first.http} is in use`),
  );
  await first.running.drain();
});
