import type { ProcessName } from '../system/stack-settings.ts';
import { type Environment, filesIn, imageEnvironment, readYaml } from './container-files.ts';

/** A container in a Kubernetes manifest: the fields that the tests read. */
export interface Container {
  name: string;
  image: string;
  args: string[];
  envFrom: { configMapRef: { name: string } }[];
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  resources: { requests: { cpu: string; memory: string }; limits: { memory: string } };
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
}

export interface Probe {
  httpGet: { path: string; port: string };
  timeoutSeconds: number;
  failureThreshold?: number;
}

export interface PodSpec {
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: Record<string, unknown>;
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
  hostNetwork?: boolean;
}

export interface PolicyRule {
  from?: Record<string, unknown>[];
  to?: { ipBlock?: { cidr: string; except?: string[] } }[];
  ports: { protocol: string; port: number; endPort?: number }[];
}

/** A Kubernetes object: the fields that the tests read. */
export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    serviceName?: string;
    selector: Record<string, string> & { matchLabels: Record<string, string> };
    ports: { name: string; port: number; targetPort: string }[];
    template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    volumeClaimTemplates?: { metadata: { name: string } }[];
    podSelector: { matchLabels?: Record<string, string> };
    policyTypes: string[];
    ingress?: PolicyRule[];
    egress?: PolicyRule[];
  };
}

export interface Kustomization {
  resources: string[];
  images: { name: string; newTag: string }[];
}

const FOLDER = 'deploy/kubernetes/';
const KUSTOMIZATION = 'kustomization.yaml';

/** The names of all files in deploy/kubernetes with manifests, which are all files but kustomization.yaml. */
export const manifestFiles = filesIn(FOLDER).filter(name => name !== KUSTOMIZATION);
export const [kustomization] = readYaml<Kustomization>(`${FOLDER}${KUSTOMIZATION}`);
export const manifests = manifestFiles.flatMap(name => readYaml<Manifest>(`${FOLDER}${name}`));

/** Returns all objects of these kinds, such as `Service`, in the Kubernetes manifests. */
export const ofKind = (...kinds: string[]): Manifest[] =>
  manifests.filter(({ kind }) => kinds.includes(kind));

/** Returns the StatefulSet or Deployment of a process of gsq, its pod and its only container. */
export function workload(name: ProcessName): { manifest: Manifest; pod: PodSpec; container: Container } {
  const manifest = ofKind('StatefulSet', 'Deployment').find(
    ({ metadata }) => metadata.name === `gsq-${name}`,
  );
  const pod = manifest?.spec.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (!manifest || !pod || !container || others.length > 0)
    throw new Error(`no pod with one container: ${name}`);
  return { manifest, pod, container };
}

/**
 * Returns the environment variables of a process in Kubernetes: those of the image, then the shared settings, then its
 * own. A later value replaces an earlier one.
 */
export function podEnvironment(name: ProcessName): Environment {
  const { env } = workload(name).container;
  const own = Object.fromEntries(env.map(({ name: variable, value }) => [variable, value]));
  return { ...imageEnvironment(), ...ofKind('ConfigMap')[0]?.data, ...own };
}
