import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';

/**
 * The name of a service process. The folder with the same name contains the files main.ts and node.options of the
 * process.
 */
export type ServiceName = 'core' | 'gateway' | 'prober' | 'notifier';

const root = new URL('../../', import.meta.url);

/** Returns the Node options of a process, from its file node.options. */
export function nodeOptions(name: ServiceName): string[] {
  const text = readFileSync(new URL(`${name}/node.options`, root), 'utf8');
  return text.split('\n').filter(line => line.startsWith('--'));
}

/** Returns the arguments of the `node` command that runs a process. cli/run.sh uses the same arguments. */
export function serviceArguments(name: ServiceName): string[] {
  return [...nodeOptions(name), ...scriptArguments(fileURLToPath(new URL(`${name}/main.ts`, root)))];
}
