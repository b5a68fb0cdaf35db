import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processNames } from '../system/stack-settings.ts';
import {
  COUNTS,
  compose,
  environmentOf,
  portOf,
  service,
  servicesOf,
  valkeys,
} from './compose-cluster-services.ts';
import { assertNoRights, HEALTH_CHECK, startedBefore } from './compose-files.ts';
import { listeningPorts, version } from './container-files.ts';

/** Names of the services in cluster.yaml that run once at the start and then end. */
const ONCE = ['keys', 'valkey-cluster'];
/** Difference between the two ports of a Valkey node: the port for other nodes minus the port for clients. */
const BUS = 10_000;

/** Each process of gsq in cluster.yaml: the name of its service, and its kind. */
const processes = processNames.flatMap(kind => servicesOf(kind).map(name => [name, kind] as const));
const listening = processes.flatMap(([name, kind]) =>
  Object.values(listeningPorts(kind, environmentOf(name))),
);
const coreAddresses = servicesOf('core').map(name => environmentOf(name).GSQ_INTERNAL_ADDR);
const dataDirectories = servicesOf('core').map(name => environmentOf(name).GSQ_DATA_DIR ?? '');

test('cluster.yaml runs three cores, two gateways, three probers, two notifiers and six nodes of Valkey', () => {
  const expected = [...processes.map(([name]) => name), ...valkeys, ...ONCE, 'network'];
  assert.deepEqual(Object.keys(compose.services).sort(), expected.sort());
});

test('the services of cluster.yaml have no root rights and no capabilities, and Compose restarts all except those that run only once', () => {
  for (const [name, found] of Object.entries(compose.services)) {
    const isValkey = name.startsWith('valkey');
    assertNoRights(found, isValkey ? '999:999' : '10001:10001');
    assert.match(found.image, isValkey ? /^docker\.io\/valkey\/valkey:\d+\.\d+\.\d+$/ : /^gsq:/, name);
    assert.equal(found.restart, ONCE.includes(name) ? 'no' : 'unless-stopped', name);
    if (!isValkey) assert.equal(found.image, `gsq:${version}`);
  }
});

test('the processes of cluster.yaml run in the shared network, with a health check and 15 s to stop', () => {
  for (const [name, kind] of processes) {
    const found = service(name);
    assert.deepEqual(found.command, [kind]);
    assert.equal(found.network_mode, 'service:network');
    assert.deepEqual(found.healthcheck.test, HEALTH_CHECK);
    assert.equal(found.stop_grace_period, '15s');
    assert.deepEqual(found.env_file, ['settings.env']);
    assert.deepEqual(found.secrets, Object.keys(compose.secrets));
    assert.equal(found.environment?.GSQ_INTERNAL_SECRET_FILE, `/run/secrets/${found.secrets?.[0]}`);
  }
});

test('no two processes of cluster.yaml listen on the same port', () => {
  const ports = [
    ...listening.map(({ port }) => port),
    ...valkeys.flatMap(name => [portOf(name), portOf(name) + BUS]),
  ];
  assert.equal(new Set(ports).size, ports.length);
});

test('cluster.yaml reserves the ports of the cores, so that Linux does not use them for outgoing connections', () => {
  const reserved = service('network').sysctls?.['net.ipv4.ip_local_reserved_ports'] ?? '';
  const [first = Number.NaN, last = Number.NaN] = reserved.split('-').map(Number);
  // By default, Linux uses only ports equal to or above 32,768 for outgoing connections. So only listening ports in
  // this range must be reserved.
  const outgoing = listening.map(({ port }) => port).filter(port => port >= 32_768);
  assert.equal(outgoing.length, 2 * COUNTS.core);
  for (const port of outgoing) assert.ok(first <= port && port <= last, `${port}`);
});

test('cluster.yaml makes each port that listens on 0.0.0.0 reachable from the host at 127.0.0.1, but not from other machines', () => {
  const reachable = listening.filter(({ host }) => host === '0.0.0.0').map(({ port }) => port);
  const published = service('network').ports?.toSorted();
  assert.deepEqual(published, reachable.map(port => `127.0.0.1:${port}:${port}`).sort());
  // Each core has a public gRPC port, each gateway has a REST port, and each process has an ops port.
  assert.equal(reachable.length, COUNTS.core + COUNTS.gateway + processes.length);
  for (const [name, { ports }] of Object.entries(compose.services)) {
    if (name !== 'network') assert.equal(ports, undefined, name);
  }
});

test('the cores of cluster.yaml listen for each other on loopback, so they need no certificates', () => {
  for (const address of coreAddresses) assert.match(address ?? '', /^127\.0\.0\.1:\d+$/);
  assert.equal(new Set(coreAddresses).size, COUNTS.core);
});

test('in cluster.yaml, GSQ_INTERNAL_ADDR names a different core for each process of the same kind', () => {
  for (const kind of ['gateway', 'prober', 'notifier'] as const) {
    const asked = servicesOf(kind).map(name => environmentOf(name).GSQ_INTERNAL_ADDR);
    assert.deepEqual(asked, coreAddresses.slice(0, COUNTS[kind]));
  }
});

test('each core of cluster.yaml has its own data directory in the volume, and all cores get the same key files from the service `keys`', () => {
  assert.equal(new Set(dataDirectories).size, COUNTS.core);
  for (const directory of dataDirectories) assert.match(directory, /^\/var\/lib\/gsq\/./);
  for (const name of [...servicesOf('core'), 'keys']) {
    assert.ok(service(name).volumes?.includes('data:/var/lib/gsq'), name);
  }
  assert.deepEqual(service('keys').command, ['keys', ...dataDirectories]);
});

test('in cluster.yaml, the cores start after the services `keys` and `valkey-cluster`, and `valkey-cluster` starts after the Valkey nodes', () => {
  const { depends_on } = service('valkey-cluster');
  assert.deepEqual(
    depends_on,
    Object.fromEntries(valkeys.map(name => [name, { condition: 'service_healthy' }])),
  );
  for (const name of servicesOf('core')) {
    assert.deepEqual(service(name).depends_on, {
      network: { condition: 'service_started' },
      keys: { condition: 'service_completed_successfully' },
      'valkey-cluster': { condition: 'service_completed_successfully' },
    });
  }
});

test('Compose stops the gateways of cluster.yaml first, then the probers and notifiers, and then the cores', () => {
  const cores = servicesOf('core');
  const others = [...servicesOf('prober'), ...servicesOf('notifier')];
  for (const name of servicesOf('gateway')) {
    assert.deepEqual(startedBefore(service(name)), ['network', ...cores, ...others]);
  }
  for (const name of others) assert.deepEqual(startedBefore(service(name)), ['network', ...cores]);
});

test('cluster.yaml contains no value of a secret setting', () => {
  for (const [name, { environment = {} }] of Object.entries(compose.services)) {
    const isProcess = processes.some(([one]) => one === name);
    const secrets = Object.keys(environment).filter(variable => /SECRET|TOKEN|KEY/.test(variable));
    assert.deepEqual(secrets, isProcess ? ['GSQ_INTERNAL_SECRET_FILE'] : [], name);
  }
});
