import assert from 'node:assert/strict';
import type { ProcessName } from '../system/stack-settings.ts';
import { type ComposeService, readCompose } from './compose-files.ts';
import { type Environment, imageEnvironment } from './container-files.ts';

/** The Compose file of a gsq service with several cores. */
export const compose = readCompose('deploy/compose/cluster.yaml');
/** The number of processes of each kind in cluster.yaml. */
export const COUNTS: Readonly<Record<ProcessName, number>> = { core: 3, gateway: 2, prober: 3, notifier: 2 };

/** Returns the service with this name in cluster.yaml. Fails if there is no such service. */
export function service(name: string): ComposeService {
  const found = compose.services[name];
  assert.ok(found, name);
  return found;
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i + 1}`);
/** Returns the names of the services in cluster.yaml that run a process of this kind. */
export const servicesOf = (kind: ProcessName): string[] => numbered(kind, COUNTS[kind]);
/** Names of the services in cluster.yaml that run a node of Valkey. */
export const valkeys = numbered('valkey', 6);

/** Returns the environment variables of a service in cluster.yaml. They include the variables that the image sets. */
export const environmentOf = (name: string): Environment => ({
  ...imageEnvironment(),
  ...service(name).environment,
});

/** Returns the port on which a node of Valkey listens for clients. `name`: name of its service. */
export const portOf = (name: string): number => Number(service(name).command?.at(-1));
