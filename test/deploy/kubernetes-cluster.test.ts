import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesIn, listeningPorts, readProjectFile } from './container-files.ts';
import {
  addedManifests,
  COMPONENT,
  component,
  environmentIn,
  type Manifest,
  ofKind,
  severalCores,
  workload,
} from './kubernetes-files.ts';

const page = readProjectFile('docs/containers.md');
const stateful = severalCores();
const pod = stateful.spec.template.spec;
const [core, ...otherContainers] = pod.containers;
assert.ok(core);
const environment = environmentIn(core);
// Replaces $(POD_NAME) in the value of the environment variable, as Kubernetes does.
const ports = listeningPorts('core', {
  ...environment,
  GSQ_MEMBER_ADDR: (environment.GSQ_MEMBER_ADDR ?? '').replace('$(POD_NAME)', 'gsq-core-0'),
});
const CORE = { 'app.kubernetes.io/component': 'core' };

/**
 * Returns the Kubernetes object of this kind from the Kustomize component for several cores. Throws if the component
 * adds no object or several objects of this kind.
 */
function added(kind: string): Manifest {
  const [manifest, ...others] = addedManifests.filter(one => one.kind === kind);
  assert.ok(manifest && others.length === 0, kind);
  return manifest;
}

/** Returns the index of an environment variable in `env`, the list of the core container's environment variables. */
const positionOf = (name: string): number => core.env.findIndex(one => one.name === name);

test('the optional Kustomize component for several cores lists all files in its folder', () => {
  assert.match(
    readProjectFile('deploy/kubernetes/kustomization.yaml'),
    new RegExp(`^#components:\\n#  - ${COMPONENT}$`, 'm'),
  );
  assert.equal(component?.kind, 'Component');
  const listed = [...component.resources, ...(component.patches ?? []).map(({ path }) => path)];
  assert.deepEqual([...listed, 'kustomization.yaml'].sort(), filesIn(`deploy/kubernetes/${COMPONENT}/`));
});

test('the Kubernetes component for several cores starts three cores at the same time, with the same container settings as the single core', () => {
  assert.equal(stateful.spec.replicas, 3);
  assert.equal(stateful.spec.podManagementPolicy, 'Parallel');
  assert.deepEqual(otherContainers, []);
  const single = workload('core');
  assert.deepEqual(pod.securityContext, single.pod.securityContext);
  assert.deepEqual(stateful.spec.template.metadata, single.manifest.spec.template.metadata);
  for (const field of ['args', 'image', 'ports', 'resources', 'securityContext', 'volumeMounts'] as const) {
    assert.deepEqual(core[field], single.container[field], field);
  }
});

test('a headless Service gives each core pod a DNS name, even before the core is ready', () => {
  const { metadata, spec } = added('Service');
  assert.equal(stateful.spec.serviceName, metadata.name);
  assert.equal(spec.clusterIP, 'None');
  assert.equal(spec.publishNotReadyAddresses, true);
  assert.deepEqual(spec.selector, stateful.spec.template.metadata.labels);
  for (const { port, targetPort } of spec.ports) assert.equal(ports[targetPort]?.port, port);
});

test('GSQ_MEMBER_ADDR is the DNS name of the pod with the internal port, and the certificate in docs/containers.md covers this name', () => {
  const host = `${stateful.spec.serviceName}.gsq.svc`;
  assert.equal(environment.GSQ_MEMBER_ADDR, `$(POD_NAME).${host}:${ports.internal?.port}`);
  // Kubernetes replaces $(POD_NAME) in GSQ_MEMBER_ADDR only if the list of environment variables contains POD_NAME
  // before GSQ_MEMBER_ADDR.
  assert.ok(positionOf('POD_NAME') < positionOf('GSQ_MEMBER_ADDR'));
  assert.equal(core.env[positionOf('POD_NAME')]?.valueFrom?.fieldRef?.fieldPath, 'metadata.name');
  assert.match(page, new RegExp(`^machine core .*DNS:\\*\\.${host.replaceAll('.', '\\.')}[,']`, 'm'));
});

test('the cores in Kubernetes get the URL of their store from a Secret that docs/containers.md creates', () => {
  const store = core.env[positionOf('GSQ_STORE')];
  assert.equal(store?.value, undefined);
  const { name, key } = store?.valueFrom?.secretKeyRef ?? {};
  assert.match(page, new RegExp(`create secret generic ${name} --from-file=${key}=`));
  assert.deepEqual(
    addedManifests.filter(({ kind }) => kind === 'Secret'),
    [],
  );
});

test('an init container without rights copies the key files of a Secret to the data directory', () => {
  const keys = pod.initContainers?.find(({ name }) => name === 'keys');
  assert.ok(keys);
  const secret = pod.volumes.find(({ name }) => name === 'keys')?.secret;
  assert.equal(secret?.defaultMode, 0o440);
  assert.match(
    page,
    new RegExp(
      `create secret generic ${secret.secretName} --from-file=token.key --from-file=credentials.key`,
    ),
  );
  const mounts = Object.fromEntries(keys.volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
  assert.deepEqual(keys.args, ['keys', mounts.keys, environment.GSQ_DATA_DIR]);
  const data = core.volumeMounts.find(({ name }) => name === 'data');
  assert.equal(mounts.data, data?.mountPath);
  assert.equal(keys.image, core.image);
  for (const { securityContext } of pod.initContainers ?? []) {
    assert.deepEqual(securityContext, core.securityContext);
  }
});

test('Kubernetes runs the cores on different nodes, and a drain of nodes evicts at most one core at a time', () => {
  const [spread, ...others] = pod.topologySpreadConstraints ?? [];
  assert.deepEqual(others, []);
  assert.equal(spread?.topologyKey, 'kubernetes.io/hostname');
  assert.equal(spread.whenUnsatisfiable, 'DoNotSchedule');
  const { spec } = added('PodDisruptionBudget');
  assert.equal(spec.maxUnavailable, 1);
  for (const { matchLabels } of [spread.labelSelector, spec.selector]) {
    assert.deepEqual(matchLabels, stateful.spec.template.metadata.labels);
  }
});

test('with several cores, the termination grace period of each core pod also covers the time of its preStop hook', () => {
  const [, seconds] = core.lifecycle?.preStop.exec.command ?? [];
  const single = workload('core').pod.terminationGracePeriodSeconds;
  assert.equal(pod.terminationGracePeriodSeconds, single + Number(seconds));
});

test('the network policy for several cores lets the cores reach only the storage engine and the internal ports of the other cores', () => {
  const { spec } = added('NetworkPolicy');
  assert.deepEqual(spec.podSelector.matchLabels, CORE);
  assert.deepEqual(spec.policyTypes, ['Ingress', 'Egress']);
  const internal = [{ protocol: 'TCP', port: ports.internal?.port }];
  assert.deepEqual(spec.ingress, [{ from: [{ podSelector: { matchLabels: CORE } }], ports: internal }]);
  const [peers, engine, ...others] = spec.egress ?? [];
  assert.deepEqual(peers, { to: [{ podSelector: { matchLabels: CORE } }], ports: internal });
  assert.deepEqual(others, []);
  assert.deepEqual(engine?.ports, [{ protocol: 'TCP', port: 6379 }]);
  const [label = '', value] = Object.entries(engine.to?.[0]?.namespaceSelector?.matchLabels ?? {})[0] ?? [];
  assert.match(page, new RegExp(`^kubectl label namespace \\S+ ${label}=${value} `, 'm'));
  const names = ofKind('NetworkPolicy').map(({ metadata }) => metadata.name);
  assert.ok(!names.includes(added('NetworkPolicy').metadata.name));
});
