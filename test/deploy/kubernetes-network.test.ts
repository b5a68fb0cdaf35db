import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processNames } from '../system/stack-settings.ts';
import { readProjectFile } from './container-files.ts';
import { type Manifest, ofKind, podEnvironment, portsOf, workload } from './kubernetes-files.ts';

const page = readProjectFile('docs/containers.md');
const componentOf = ({ metadata }: Manifest): string =>
  metadata.labels?.['app.kubernetes.io/component'] ?? '';

test('each port of a Kubernetes Service leads to a port on which the selected container listens', () => {
  for (const service of ofKind('Service')) {
    const { selector, ports } = service.spec;
    const name = processNames.find(one => one === componentOf(service));
    assert.ok(name);
    assert.deepEqual(selector, workload(name).manifest.spec.template.metadata.labels);
    for (const { port, targetPort } of ports) assert.equal(portsOf(name)[targetPort]?.port, port);
  }
});

test('gateway, prober and notifier connect to the internal port of the Service gsq-core', () => {
  const core = ofKind('Service').find(({ metadata }) => metadata.name === 'gsq-core');
  const internal = core?.spec.ports.find(({ name }) => name === 'internal');
  for (const name of ['gateway', 'prober', 'notifier'] as const) {
    assert.equal(podEnvironment(name).GSQ_INTERNAL_ADDR, `gsq-core:${internal?.port}`);
  }
  assert.match(page, /^machine core .*DNS:gsq-core,.*IP:127\.0\.0\.1/m);
});

test('a network policy denies all traffic of each pod in the namespace of gsq, unless another policy allows it', () => {
  const [denied, ...others] = ofKind('NetworkPolicy').filter(({ spec }) => !spec.ingress && !spec.egress);
  assert.deepEqual(denied?.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  assert.deepEqual(others, []);
});

test('network policies allow connections to exactly the ports on which the processes listen', () => {
  const listening = processNames.flatMap(name => Object.values(portsOf(name)).map(({ port }) => port));
  const open = ofKind('NetworkPolicy').flatMap(
    ({ spec }) => spec.ingress?.flatMap(({ ports }) => ports) ?? [],
  );
  assert.ok(open.length > 4);
  for (const { port, endPort = port } of open) {
    for (let one = port; one <= endPort; one++) assert.ok(listening.includes(one), `${one}`);
  }
  for (const port of listening) {
    assert.ok(
      open.some(rule => rule.port <= port && port <= (rule.endPort ?? rule.port)),
      `${port}`,
    );
  }
});

test('outside the cluster, network policies let core, prober and notifier reach only public addresses, and the gateway none', () => {
  const withBlocks = ofKind('NetworkPolicy').filter(({ spec }) =>
    spec.egress?.some(({ to }) => to?.some(({ ipBlock }) => ipBlock)),
  );
  assert.deepEqual(withBlocks.map(({ metadata }) => metadata.name).sort(), [
    'gsq-core',
    'gsq-notifier',
    'gsq-prober',
  ]);
  for (const { spec } of withBlocks) {
    const blocks = spec.egress?.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])) ?? [];
    assert.deepEqual(
      blocks.map(({ cidr }) => cidr),
      ['0.0.0.0/0', '2000::/3'],
    );
    for (const range of [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '169.254.0.0/16',
    ]) {
      assert.ok(blocks[0]?.except?.includes(range), range);
    }
  }
});
