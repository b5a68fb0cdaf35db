import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';

/** The processes of the service: each a folder with main.ts and node.options. */
export type ServiceName = 'core' | 'gateway' | 'prober';

const root = new URL('../../', import.meta.url);

/** Options of Node that a process is run with, as its file node.options says. */
export function nodeOptions(name: ServiceName): string[] {
  const text = readFileSync(new URL(`${name}/node.options`, root), 'utf8');
  return text.split('\n').filter(line => line.startsWith('--'));
}

/** Arguments of node that run a process, as cli/run.sh gives them. */
export function serviceArguments(name: ServiceName): string[] {
  return [...nodeOptions(name), ...scriptArguments(fileURLToPath(new URL(`${name}/main.ts`, root)))];
}
