import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { askFetch } from '../ask.ts';
import { type GatewayUnderTest, runGateway } from '../running-gateway.ts';
import { ScriptedCore } from '../scripted-core.ts';

describe('the ops listener of the gateway', () => {
  const core = new ScriptedCore();
  const coreOps = createServer((request, response) => response.end(`core ops ${request.url}`));
  let gateway: GatewayUnderTest;

  before(async () => {
    await core.start();
    await new Promise<void>(resolve => coreOps.listen(0, '127.0.0.1', resolve));
    const { port } = coreOps.address() as AddressInfo;
    gateway = await runGateway(core.address, {
      GSQ_CORE_OPS_ADDR: `127.0.0.1:${port}`,
      GSQ_PROBER_OPS_ADDR: '127.0.0.1:1',
    });
    await core.until(() => core.streams === 4);
  });
  after(async () => {
    await gateway.running.drain();
    coreOps.close();
    core.stop();
  });

  const get = (path: string) => fetch(`http://${gateway.ops}${path}`);

  test('answers 200 to /livez and /readyz while the core can be reached', async () => {
    assert.equal((await get('/livez')).status, 200);
    assert.equal((await get('/readyz')).status, 200);
  });

  test('answers 503 to /readyz with a reason if the core cannot be reached', async () => {
    const alone = await runGateway('127.0.0.1:1');
    const answer = await fetch(`http://${alone.ops}/readyz`);
    assert.equal(answer.status, 503);
    assert.deepEqual(await answer.json(), { ready: false, reason: 'the core cannot be reached' });
    await alone.running.drain();
  });

  test('reports the number of requests for each route and status in its metrics', async () => {
    await askFetch(gateway.http);
    await askFetch(gateway.http, { method: 'PUT' });
    await askFetch(gateway.http, { path: '/a/very/long/unknown/path' });
    const text = await (await get('/metrics')).text();
    assert.match(text, /gsq_gateway_requests_total\{route="fetch",status="200"\} 1/);
    assert.match(text, /gsq_gateway_requests_total\{route="fetch",status="405"\} 1/);
    assert.match(text, /gsq_gateway_requests_total\{route="none",status="404"\} 1/);
    assert.match(text, /gsq_gateway_request_seconds_count\{route="fetch"\} 2/);
    assert.match(text, /gsq_gateway_core_connected 1/);
    assert.doesNotMatch(text, /unknown\/path/);
  });

  test('forwards requests for /core/… to the ops endpoint of the core, without the prefix /core', async () => {
    assert.equal(await (await get('/core/metrics?x=1')).text(), 'core ops /metrics?x=1');
  });

  test('answers 502 with JSON if the ops endpoint of the prober cannot be reached', async () => {
    const answer = await get('/prober/metrics');
    assert.equal(answer.status, 502);
    assert.deepEqual(await answer.json(), {
      error: 'CORE_1',
      message: 'The ops endpoint of the prober cannot be reached.',
    });
  });

  test('answers 404 with JSON to a request for an unknown path', async () => {
    for (const path of ['/', '/core', '/other/metrics', '/constructor/x']) {
      const answer = await get(path);
      assert.equal(answer.status, 404);
      assert.match(answer.headers.get('content-type') ?? '', /application\/json/);
    }
  });
});
