import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, askFetch } from './ask.ts';
import type { GatewayUnderTest } from './running-gateway.ts';
import { startCluster, startGateway } from './two-cores.ts';

const get = ({ http }: GatewayUnderTest, path: string, headers: Record<string, string> = {}) =>
  ask(http, { path, headers });

test('two gateways send all fetches and reads of one token to the same core', async t => {
  const cluster = await startCluster(t);
  const { steady, risky, headers } = cluster;
  for (const gateway of [await startGateway(t, cluster), await startGateway(t, cluster)]) {
    assert.equal((await askFetch(gateway.http, { headers })).status, 200);
    assert.equal((await get(gateway, '/v1/summary', headers)).status, 200);
  }
  assert.deepEqual([risky.calls.length, risky.json.calls.length], [2, 2]);
  assert.deepEqual([steady.calls.length, steady.json.calls.length], [0, 0]);
});

test('if a core dies, another core answers the fetches and read calls sent to the dead core, and the gateway stays ready', async t => {
  const cluster = await startCluster(t);
  const { steady, risky, headers, proxy } = cluster;
  const gateway = await startGateway(t, cluster);
  risky.script = () => undefined;
  risky.json.script = () => undefined;
  const answers = [askFetch(gateway.http, { headers }), get(gateway, '/v1/summary', headers)];
  await risky.until(() => risky.calls.length === 1 && risky.json.calls.length === 1);
  proxy.stop();
  risky.stop();
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  assert.equal(steady.calls.length, 1);
  // The gateway sends the call again, to the core `steady`. This call must have the key `x-gsq-repeated`, because the
  // dead core `risky` may already have counted the request.
  assert.deepEqual(
    steady.json.calls.map(({ metadata }) => metadata.get('x-gsq-repeated')),
    [['1']],
  );
  assert.equal((await fetch(`http://${gateway.ops}/readyz`)).status, 200);
});

test('if a core freezes, another core answers a read call, even if the gateway has sent no fetch to the frozen core', async t => {
  const cluster = await startCluster(t);
  const { steady, headers, proxy } = cluster;
  const gateway = await startGateway(t, cluster);
  proxy.stall();
  assert.equal((await get(gateway, '/v1/summary', headers)).status, 200);
  assert.equal(steady.json.calls.length, 1);
});

test('if a core dies, the gateway does not repeat a call with side effects at another core', async t => {
  const cluster = await startCluster(t);
  const { steady, risky, headers, proxy } = cluster;
  const gateway = await startGateway(t, cluster);
  risky.json.script = () => undefined;
  const answer = ask(gateway.http, {
    method: 'POST',
    path: '/v1/webhooks',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: '{"url":"https://hook.example"}',
  });
  await risky.until(() => risky.json.calls.length === 1);
  proxy.stop();
  risky.stop();
  assert.equal((await answer).status, 503);
  assert.equal(steady.json.calls.length, 0);
});

test('a core that leaves the cluster still answers the calls with side effects that it received before it left', async t => {
  const cluster = await startCluster(t);
  const { cores, steady, risky, headers } = cluster;
  const gateway = await startGateway(t, cluster);
  risky.json.script = () => undefined;
  const answer = ask(gateway.http, {
    method: 'POST',
    path: '/v1/webhooks',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: '{"url":"https://hook.example"}',
  });
  await risky.until(() => risky.json.calls.length === 1);
  for (const core of cores) core.members?.announce([steady.address]);
  await risky.until(() => risky.streams === 0);
  risky.json.answerHeld({ json: '{}' });
  assert.equal((await answer).status, 200);
  assert.equal(steady.json.calls.length, 0);
});

test("the caller's IP address determines which core gets the calls for a web page, unless this core is dead", async t => {
  const cluster = await startCluster(t);
  const { steady, risky, proxy, placed } = cluster;
  const gateway = await startGateway(t, cluster, { GSQ_PAGE: 'on', GSQ_TRUST_PROXY: '1' });
  let i = 1;
  while (placed.pickCore(`192.0.2.${i}`) !== proxy.address) i++;
  const headers = { 'X-Forwarded-For': `192.0.2.${i}`, Accept: 'text/html' };
  for (const core of [steady, risky]) core.json.script = () => ({ json: '{"servers":[],"games":[]}' });
  await get(gateway, '/', headers);
  assert.equal(steady.json.calls.length, 0);
  const before = risky.json.calls.length;
  assert.ok(before > 0);
  proxy.stop();
  risky.stop();
  await get(gateway, '/', headers);
  assert.ok(steady.json.calls.length > 0);
  assert.equal(risky.json.calls.length, before);
});

test('the gateway is not ready while no core can be reached', async t => {
  const cluster = await startCluster(t);
  const { cores, proxy } = cluster;
  const gateway = await startGateway(t, cluster);
  proxy.stop();
  for (const core of cores) core.stop();
  while ((await fetch(`http://${gateway.ops}/readyz`)).status !== 503);
  const metrics = await (await fetch(`http://${gateway.ops}/metrics`)).text();
  assert.match(metrics, /gsq_gateway_core_connected 0/);
});
