import type { ProcessName } from '../system/stack-settings.ts';
import { listeningPorts, type Ports } from './container-files.ts';
import { podEnvironment } from './kubernetes-files.ts';

/** Returns the addresses on which a process of gsq listens in Kubernetes. */
export const portsOf = (name: ProcessName): Ports => listeningPorts(name, podEnvironment(name));
