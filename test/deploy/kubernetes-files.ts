import type { ProcessName } from '../system/stack-settings.ts';
import {
  type Environment,
  filesIn,
  imageEnvironment,
  listeningPorts,
  type Ports,
  readYaml,
} from './container-files.ts';
import { patched } from './kubernetes-patch.ts';

/** An environment variable of a container: its value, or a reference to a field or Secret that contains the value. */
export interface Variable {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    secretKeyRef?: { name: string; key: string };
  };
}

/** A container in a Kubernetes manifest: the fields that the tests read. */
export interface Container {
  name: string;
  image: string;
  args: string[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
  envFrom: { configMapRef: { name: string } }[];
  env: Variable[];
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
  initContainers?: Pick<
    Container,
    'name' | 'image' | 'args' | 'resources' | 'securityContext' | 'volumeMounts'
  >[];
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
  hostNetwork?: boolean;
  topologySpreadConstraints?: {
    topologyKey: string;
    whenUnsatisfiable: string;
    labelSelector: { matchLabels: Record<string, string> };
  }[];
}

export interface PolicyRule {
  from?: Record<string, unknown>[];
  to?: {
    ipBlock?: { cidr: string; except?: string[] };
    podSelector?: { matchLabels: Record<string, string> };
    namespaceSelector?: { matchLabels: Record<string, string> };
  }[];
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
    podManagementPolicy?: string;
    clusterIP?: string;
    publishNotReadyAddresses?: boolean;
    maxUnavailable?: number;
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
  kind: string;
  resources: string[];
  images: { name: string; newTag: string }[];
  patches?: { path: string }[];
}

const FOLDER = 'deploy/kubernetes/';
const KUSTOMIZATION = 'kustomization.yaml';
/** Name of the folder in deploy/kubernetes that contains the kustomize component for several cores. */
export const COMPONENT = 'cluster';

/** The names of the manifest files in deploy/kubernetes: all its files except kustomization.yaml. */
export const manifestFiles = filesIn(FOLDER).filter(name => name !== KUSTOMIZATION && name !== COMPONENT);
export const [kustomization] = readYaml<Kustomization>(`${FOLDER}${KUSTOMIZATION}`);
export const manifests = manifestFiles.flatMap(name => readYaml<Manifest>(`${FOLDER}${name}`));

export const [component] = readYaml<Kustomization>(`${FOLDER}${COMPONENT}/${KUSTOMIZATION}`);
/** The Kubernetes objects that the component for several cores adds. */
export const addedManifests = (component?.resources ?? []).flatMap(name =>
  readYaml<Manifest>(`${FOLDER}${COMPONENT}/${name}`),
);

/** Returns all objects in the Kubernetes manifests that have one of these kinds, for example `Service`. */
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
 * Returns the environment variables of a process in Kubernetes. Settings of the process replace shared settings, and
 * both replace variables of the image.
 */
export function podEnvironment(name: ProcessName): Environment {
  return environmentIn(workload(name).container);
}

/** Returns the addresses on which a process of gsq listens in Kubernetes. */
export const portsOf = (name: ProcessName): Ports => listeningPorts(name, podEnvironment(name));

/**
 * Returns the environment variables of a container in Kubernetes. Ignores references to fields and Secrets. Settings of
 * the container replace shared settings, and both replace variables of the image.
 */
export function environmentIn({ env }: Container): Environment {
  const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  return { ...imageEnvironment(), ...ofKind('ConfigMap')[0]?.data, ...Object.fromEntries(own) };
}

/**
 * Returns the StatefulSet of the core for a service of several cores. Applies the patches of the kustomize component.
 */
export function severalCores(): Manifest {
  const patches = (component?.patches ?? []).flatMap(({ path }) =>
    readYaml<Manifest>(`${FOLDER}${COMPONENT}/${path}`),
  );
  return patches.reduce(patched, workload('core').manifest);
}
