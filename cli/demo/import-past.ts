import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { demoPlan } from './fleet-plan.ts';
import { madeUpPast } from './past.ts';

const PROGRAM = fileURLToPath(new URL('../../core/past.ts', import.meta.url));

/**
 * Invents a history of the past week for the fake game servers of the demo. A separate process (`core/past.ts`) stores
 * this history in the data directory. Does nothing if the data directory already contains a store. If the separate
 * process fails, the demo starts without a history.
 *
 * `notes`: data from the process that runs the fake servers; `notes.servers` contains their addresses as JSON.
 */
export async function importPast(
  notes: ReadyMessage['notes'],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const servers = JSON.parse(notes.servers ?? '[]') as { address: string }[];
  const now = Date.now();
  const pasts = servers.flatMap(({ address }, i) => {
    const plan = demoPlan[i];
    return plan ? [madeUpPast(plan, address, now, Math.random)] : [];
  });
  const child = spawn(process.execPath, scriptArguments(PROGRAM), {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // Ignores errors of writes to the stdin of the separate process, because a process that fails early does not read it.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(pasts));
  await once(child, 'close');
}
