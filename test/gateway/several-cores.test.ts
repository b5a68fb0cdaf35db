import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CoreSet } from '../../gateway/upstream/core-set.ts';
import { AnnouncedMembers } from '../proto/cluster/announced-members.ts';
import { ask, askFetch, credentials } from './ask.ts';
import { openEvents } from './events/open-events.ts';
import { type GatewayUnderTest, runGateway } from './running-gateway.ts';
import { ScriptedCore } from './scripted-core.ts';
import { sendEvent } from './scripted-json.ts';
import { StallingProxy } from './stalling-proxy.ts';

const EVENTS = '/v1/events?server=rust/192.0.2.1:1';

/**
 * Starts two fake cores that announce each other. A proxy in front of the second core can freeze the connections to it.
 */
async function startCluster(t: TestContext) {
  const cores = [new ScriptedCore(), new ScriptedCore()] as const;
  const [steady, risky] = cores;
  for (const core of cores) {
    core.members = new AnnouncedMembers();
    await core.start();
    t.after(() => core.stop());
  }
  const proxy = await StallingProxy.start(risky.address);
  t.after(() => proxy.stop());
  const addresses = [steady.address, proxy.address];
  for (const core of cores) core.members?.announce(addresses);
  const placed = new CoreSet('');
  placed.update(addresses.map(address => ({ address, responds: true })));
  let token = 'a-token';
  while (placed.pickCore(token) !== proxy.address) token += '.';
  /**
   * HTTP headers of a caller whose calls go through a proxy to the core `risky`. The gateway chooses a core by the
   * token of the caller, so the headers contain a token for which the gateway chooses `risky`.
   */
  const headers = { ...credentials, 'X-API-Token': token };
  return { cores, steady, risky, proxy, headers, placed, addresses };
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts a gateway that knows only the address of the first core, and waits until it is connected to both cores. */
async function startGateway(
  t: TestContext,
  { cores, steady }: Cluster,
  env: Record<string, string> = {},
): Promise<GatewayUnderTest> {
  const before = cores.map(({ streams }) => streams);
  const gateway = await runGateway(steady.address, env);
  t.after(() => gateway.running.drain());
  await Promise.all(cores.map((core, i) => core.until(() => core.streams === (before[i] ?? 0) + 4)));
  return gateway;
}

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

test('if a core freezes, another core continues each event stream after the last event that the client received', async t => {
  const cluster = await startCluster(t);
  const { steady, risky, headers, proxy } = cluster;
  // The long request timeout makes the keepalive timeout long too. With a short keepalive timeout, the gateway could
  // close the connection to the frozen core. The event stream would then end for a reason that this test does not
  // check.
  const gateway = await startGateway(t, cluster, { GSQ_REQUEST_TIMEOUT: '10m' });
  risky.json.onEvents = stream => void sendEvent(stream, 'changed', 't-1', {});
  steady.json.onEvents = stream => void sendEvent(stream, 'changed', 't-2', {});
  const client = await openEvents(gateway.http, EVENTS, headers);
  await client.until(/t-1/);
  proxy.stall();
  // The frozen core does not answer this fetch. From the missing answer, the gateway learns that the core is frozen.
  assert.equal((await askFetch(gateway.http, { headers })).status, 200);
  await client.until(/t-2/);
  const [call] = steady.json.calls;
  assert.equal(call?.request.resumeToken, 't-1');
  assert.deepEqual(call?.metadata.get('x-gsq-repeated'), ['1']);
  client.close();
});

test('if a core leaves the cluster, the gateway continues the event streams of the core on another core', async t => {
  const cluster = await startCluster(t);
  const { cores, steady, risky, headers } = cluster;
  const gateway = await startGateway(t, cluster);
  risky.json.onEvents = stream => void sendEvent(stream, 'changed', 't-1', {});
  steady.json.onEvents = stream => void sendEvent(stream, 'changed', 't-2', {});
  const client = await openEvents(gateway.http, EVENTS, headers);
  await client.until(/t-1/);
  for (const core of cores) core.members?.announce([steady.address]);
  await client.until(/t-2/);
  await risky.until(() => risky.streams === 0);
  client.close();
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
