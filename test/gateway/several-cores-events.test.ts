import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askFetch } from './ask.ts';
import { openEvents } from './events/open-events.ts';
import { sendEvent } from './scripted-json.ts';
import { startCluster, startGateway } from './two-cores.ts';

const EVENTS = '/v1/events?server=rust/192.0.2.1:1';

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
