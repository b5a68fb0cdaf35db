import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEngineUrl } from '../../core/store/redis/engine-url.ts';
import { compose, environmentOf, portOf, service, servicesOf, valkeys } from './compose-cluster-services.ts';
import { readProjectFile } from './container-files.ts';

test('the cores of cluster.yaml share the Valkey nodes as their store, and the URL of the store contains no password', () => {
  const [url, ...others] = new Set(servicesOf('core').map(name => environmentOf(name).GSQ_STORE ?? ''));
  assert.deepEqual(others, []);
  const { seeds, username, password } = parseEngineUrl(url ?? '');
  assert.deepEqual([username, password], [undefined, undefined]);
  const ports = valkeys.map(portOf);
  for (const { host, port } of seeds) assert.ok(host === '127.0.0.1' && ports.includes(port), `${port}`);
  assert.equal(seeds.length, 3);
});

test('each node of Valkey reads valkey.conf, listens on its own port, and has a volume of its own', () => {
  for (const name of valkeys) {
    const { command, volumes, healthcheck, network_mode } = service(name);
    assert.deepEqual(command, ['valkey-server', '/etc/valkey.conf', '--port', `${portOf(name)}`]);
    assert.deepEqual(volumes, ['./valkey.conf:/etc/valkey.conf:ro', `${name}:/data`]);
    assert.deepEqual(healthcheck.test?.slice(0, 4), ['CMD', 'valkey-cli', '-e', '-p']);
    assert.deepEqual(healthcheck.test?.slice(4), [`${portOf(name)}`, 'ping']);
    assert.equal(network_mode, 'service:network');
  }
  assert.deepEqual(Object.keys(compose.volumes).sort(), ['data', ...valkeys].sort());
});

test('valkey.conf has the options that docs/scaling.md demands of a storage engine, and listens on loopback', () => {
  const lines = readProjectFile('deploy/compose/valkey.conf').split('\n');
  const page = readProjectFile('docs/scaling.md');
  for (const option of ['appendonly yes', 'maxmemory-policy noeviction', 'cluster-node-timeout 3000']) {
    assert.ok(lines.includes(option), option);
    assert.ok(page.includes(option), option);
  }
  for (const option of ['bind 127.0.0.1', 'cluster-enabled yes']) assert.ok(lines.includes(option), option);
});

test('the service valkey-cluster makes a cluster of all nodes of Valkey, each master with one replica', () => {
  const script = service('valkey-cluster').command?.at(-1) ?? '';
  const nodes = script.match(/127\.0\.0\.1:\d+/g);
  assert.deepEqual(
    nodes,
    valkeys.map(name => `127.0.0.1:${portOf(name)}`),
  );
  assert.match(script, /--cluster-replicas 1 /);
});
