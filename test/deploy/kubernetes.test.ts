import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { listenOps, opsHandler } from '../../runtime/ops-server.ts';
import { processNames } from '../system/stack-settings.ts';
import { isSecretFile, readProjectFile, version } from './container-files.ts';
import {
  kustomization,
  manifestFiles,
  ofKind,
  podEnvironment,
  portsOf,
  workload,
} from './kubernetes-files.ts';

const page = readProjectFile('docs/containers.md');
const workloads = ofKind('StatefulSet', 'Deployment');

test('kustomization.yaml lists all Kubernetes manifests except the manifest of the autoscaler', () => {
  assert.deepEqual(
    kustomization?.resources.toSorted(),
    manifestFiles.filter(name => name !== 'gateway-autoscaler.yaml'),
  );
  assert.deepEqual(
    kustomization?.images.map(({ name, newTag }) => [name, newTag]),
    [['gsq', version]],
  );
});

test('the Kubernetes manifests run each kind of gsq process, and exactly one core', () => {
  assert.deepEqual(
    workloads.map(({ metadata }) => metadata.name).sort(),
    processNames.map(name => `gsq-${name}`).sort(),
  );
  const { manifest } = workload('core');
  assert.deepEqual([manifest.kind, manifest.spec.replicas], ['StatefulSet', 1]);
});

for (const name of processNames) {
  test(`the pod of the ${name} meets the restricted pod security standard, and has a read-only root file system`, () => {
    const { pod, container } = workload(name);
    const { fsGroupChangePolicy, ...context } = pod.securityContext;
    assert.deepEqual(context, {
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.hostNetwork, undefined);
  });

  test(`Kubernetes adds no environment variables for Services to the pod of the ${name}, because gsq refuses unknown GSQ_ variables`, () => {
    assert.equal(workload(name).pod.enableServiceLinks, false);
  });

  test(`the container of the ${name} runs the ${name} process, and its ports are the ports in the settings of this process`, () => {
    const { container } = workload(name);
    assert.deepEqual(container.args, [name]);
    assert.equal(container.image, 'gsq');
    const ports = portsOf(name);
    assert.deepEqual(
      Object.fromEntries(container.ports.map(port => [port.name, port.containerPort])),
      Object.fromEntries(Object.entries(ports).map(([port, endpoint]) => [port, endpoint.port])),
    );
    for (const { host } of Object.values(ports)) assert.equal(host, '0.0.0.0');
  });

  test(`the pod of the ${name} has time to drain, a memory limit above its request, and no CPU limit`, () => {
    const { pod, container } = workload(name);
    assert.ok(pod.terminationGracePeriodSeconds >= (name === 'gateway' ? 20 : 15));
    const { requests, limits } = container.resources;
    assert.deepEqual(Object.keys(limits), ['memory']);
    assert.ok(mebibytes(limits.memory) >= 2 * mebibytes(requests.memory));
  });

  test(`the pod of the ${name} mounts all its secret files with the file mode 0440`, () => {
    const { manifest, pod, container } = workload(name);
    const secrets = pod.volumes.flatMap(({ secret }) => secret ?? []);
    assert.equal(secrets.length, 2);
    for (const { secretName, defaultMode } of secrets) {
      assert.equal(defaultMode, 0o440);
      assert.match(page, new RegExp(`create secret generic ${secretName} `));
    }
    const claims = manifest.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
    const known = [...claims, ...pod.volumes.map(volume => volume.name)];
    assert.deepEqual(container.volumeMounts.map(mount => mount.name).sort(), known.sort());
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    const files = Object.entries(podEnvironment(name)).filter(
      ([variable]) => isSecretFile(variable) || variable.startsWith('GSQ_INTERNAL_TLS_'),
    );
    assert.equal(files.length, 4);
    for (const [, file] of files)
      assert.ok(
        mounts.some(mount => file.startsWith(`${mount}/`)),
        file,
      );
  });
}

function mebibytes(quantity: string): number {
  const [, digits, unit] = /^(\d+)([MG])i$/.exec(quantity) ?? [];
  return Number(digits) * (unit === 'G' ? 1024 : 1);
}

test('the ops endpoint of a healthy process answers 200 at every path that the Kubernetes probes request', async () => {
  const handler = opsHandler({ metrics: new Registry(), ready: () => ({ ready: true }) });
  const server = await listenOps('GSQ_CORE_OPS_ADDR', { host: '127.0.0.1', port: 0 }, handler);
  try {
    for (const name of processNames) {
      const { startupProbe, readinessProbe, livenessProbe } = workload(name).container;
      assert.equal(livenessProbe.httpGet.path, '/livez');
      assert.equal(livenessProbe.failureThreshold, 3);
      assert.equal(readinessProbe.httpGet.path, '/readyz');
      for (const { httpGet, timeoutSeconds } of [startupProbe, readinessProbe, livenessProbe]) {
        assert.equal(httpGet.port, 'ops');
        assert.equal(timeoutSeconds, 3);
        const { status } = await fetch(`http://127.0.0.1:${server.endpoint.port}${httpGet.path}`);
        assert.equal(status, 200, httpGet.path);
      }
    }
  } finally {
    await server.close();
  }
});

test('Kubernetes does not change the mode of token.key in an existing volume, because of fsGroupChangePolicy OnRootMismatch', () => {
  const { pod, container } = workload('core');
  assert.equal(pod.securityContext.fsGroupChangePolicy, 'OnRootMismatch');
  const data = container.volumeMounts.find(({ name }) => name === 'data');
  assert.ok(podEnvironment('core').GSQ_DATA_DIR?.startsWith(`${data?.mountPath}/`));
});

test('the Kubernetes manifests contain no Secret and no value of a secret setting', () => {
  assert.deepEqual(ofKind('Secret'), []);
  for (const name of processNames) {
    const names = Object.keys(podEnvironment(name)).filter(variable => /SECRET|TOKEN/.test(variable));
    assert.deepEqual(names, ['GSQ_INTERNAL_SECRET_FILE']);
  }
});
