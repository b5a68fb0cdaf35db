import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Counter, Registry } from 'prom-client';
import { listenOps, type OpsServer, opsHandler } from '../../runtime/ops-server.ts';

describe('the ops endpoint of a process', () => {
  const metrics = new Registry();
  const work = new Counter({ name: 'gsq_test_work_total', help: 'work', registers: [metrics] });
  let state: { ready: boolean; reason?: string } = { ready: true };
  let server: OpsServer;
  let base = '';

  before(async () => {
    server = await listenOps(
      'GSQ_CORE_OPS_ADDR',
      { host: '127.0.0.1', port: 0 },
      opsHandler({ metrics, ready: () => state }),
    );
    base = `http://127.0.0.1:${server.endpoint.port}`;
  });
  after(() => server.close());

  test('returns the address and the port that it listens on', () => {
    assert.ok(server.endpoint.port > 0);
    assert.equal(server.endpoint.host, '127.0.0.1');
  });

  test('replies to /livez with 200 while the process runs', async () => {
    const response = await fetch(`${base}/livez?probe=1`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { live: true });
  });

  test('replies to /readyz with 200 if the process is ready, and otherwise with 503 and the reason', async () => {
    state = { ready: true };
    assert.equal((await fetch(`${base}/readyz`)).status, 200);
    state = { ready: false, reason: 'no core' };
    const response = await fetch(`${base}/readyz`);
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), { ready: false, reason: 'no core' });
  });

  test('replies to /metrics with Prometheus text', async () => {
    work.inc(3);
    const response = await fetch(`${base}/metrics`);
    assert.equal(response.headers.get('content-type'), metrics.contentType);
    assert.match(await response.text(), /^gsq_test_work_total 3$/m);
  });

  test('replies to an unknown path with 404 and JSON', async () => {
    const response = await fetch(`${base}/nix`);
    assert.equal(response.status, 404);
    const body = (await response.json()) as { error: string };
    assert.equal(body.error, 'ROUTE_1');
  });

  test('can have a second handler, which answers requests for unknown paths', async () => {
    const other = await listenOps(
      'GSQ_CORE_OPS_ADDR',
      { host: '127.0.0.1', port: 0 },
      opsHandler({ metrics, ready: () => state }, (_request, response) => response.end('next')),
    );
    const response = await fetch(`http://127.0.0.1:${other.endpoint.port}/core/metrics`);
    assert.equal(await response.text(), 'next');
    await other.close();
  });

  test('passes requests to a new handler after handle() has replaced the old one', async () => {
    const other = await listenOps(
      'GSQ_CORE_OPS_ADDR',
      { host: '127.0.0.1', port: 0 },
      opsHandler({ metrics, ready: () => ({ ready: false, reason: 'starting' }) }),
    );
    const ready = () => fetch(`http://127.0.0.1:${other.endpoint.port}/readyz`).then(({ status }) => status);
    assert.equal(await ready(), 503);
    other.handle(opsHandler({ metrics, ready: () => ({ ready: true }) }));
    assert.equal(await ready(), 200);
    await other.close();
  });

  test('replies to /metrics with 500 if the metrics cannot be collected', async () => {
    const broken = new Registry();
    new Counter({
      name: 'gsq_test_broken_total',
      help: 'broken',
      registers: [broken],
      collect: () => Promise.reject(new Error('no figure')),
    });
    const other = await listenOps(
      'GSQ_CORE_OPS_ADDR',
      { host: '127.0.0.1', port: 0 },
      opsHandler({ metrics: broken, ready: () => state }),
    );
    assert.equal((await fetch(`http://127.0.0.1:${other.endpoint.port}/metrics`)).status, 500);
    await other.close();
  });

  test('cannot be created if its port is in use, and the error contains the setting and the address', async () => {
    const { port } = server.endpoint;
    await assert.rejects(
      listenOps('GSQ_CORE_OPS_ADDR', { host: '127.0.0.1', port }, () => {}),
      { name: 'ConfigError', message: new RegExp(`^GSQ_CORE_OPS_ADDR: 127\\.0\\.0\\.1:${port} is in use; `) },
    );
  });

  test('closes idle connections and frees its port when it is closed', async () => {
    const other = await listenOps(
      'GSQ_CORE_OPS_ADDR',
      { host: '127.0.0.1', port: 0 },
      opsHandler({ metrics, ready: () => state }),
    );
    await (await fetch(`http://127.0.0.1:${other.endpoint.port}/livez`)).text();
    await other.close();
    const again = await listenOps('GSQ_CORE_OPS_ADDR', other.endpoint, () => {});
    await again.close();
  });
});
