/**
 * Container health check: requests /livez from the ops endpoints of gsq processes. Exits with 0 if each answer has the
 * status 200, otherwise with 1.
 *
 * The argument selects the processes: the name of one process, or `start` for all four. Without an argument, checks the
 * processes that the command line of process 1 starts. Process 1 is the main process of the container. The addresses of
 * the ops endpoints are read from environment variables. Addresses in flags are ignored.
 */
import { readFileSync } from 'node:fs';
import { formatEndpoint } from '../../runtime/endpoint.ts';
import { reasonOf } from '../../runtime/error-words.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { settings } from '../../runtime/settings.ts';

/** Longest time for one answer of an ops endpoint, ms. The container image limits the whole health check to 5 s. */
const TIMEOUT_MS = 3_000;
const OPS_ADDR = {
  core: 'GSQ_CORE_OPS_ADDR',
  gateway: 'GSQ_GATEWAY_OPS_ADDR',
  prober: 'GSQ_PROBER_OPS_ADDR',
  notifier: 'GSQ_NOTIFIER_OPS_ADDR',
} as const;
type ProcessName = keyof typeof OPS_ADDR;
const names = Object.keys(OPS_ADDR) as ProcessName[];

/**
 * Returns the gsq processes to which one word of a command line refers. The words `core` and `/opt/gsq/core/main.ts`
 * refer to the core. The word `start` refers to all processes.
 */
function processesOf(word: string): ProcessName[] {
  if (word === 'start') return names;
  return names.filter(name => word === name || word.endsWith(`/${name}/main.ts`));
}

/** Returns the gsq processes that a command line starts. `words`: the words of the command line. */
function processesIn(words: readonly string[]): ProcessName[] {
  return words.map(processesOf).find(found => found.length > 0) ?? [];
}

async function check(name: ProcessName): Promise<void> {
  const { host, port } = loadConfig(settings, process.env, [])[OPS_ADDR[name]];
  // A process that listens on 0.0.0.0 (all interfaces) also answers on loopback. Requests cannot be sent to 0.0.0.0
  // itself, so the loopback address is used.
  const address = formatEndpoint({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port });
  try {
    const { status } = await fetch(`http://${address}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status !== 200) throw new Error(`status ${status}`);
  } catch (error) {
    throw new Error(`${name}: no health at ${address}: ${reasonOf(error)}`);
  }
}

const [given] = process.argv.slice(2);
const checked = processesIn(
  given === undefined ? readFileSync('/proc/1/cmdline', 'utf8').split('\0') : [given],
);
try {
  if (checked.length === 0) throw new Error('this container runs no process of gsq');
  await Promise.all(checked.map(check));
} catch (error) {
  process.stderr.write(`healthcheck: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
