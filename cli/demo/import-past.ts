import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { demoPlan } from './fleet-plan.ts';
import { madeUpPast } from './past.ts';

const PROGRAM = fileURLToPath(new URL('../../core/past.ts', import.meta.url));

/**
 * Invents a history of the past week for the demo's fake game servers, and stores it in the data directory. If this
 * fails, the demo starts without a history. `notes.servers`: addresses of the servers, as JSON.
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
  // Starts the process that stores the demo servers with their history (core/past.ts). It does nothing if the data
  // directory already contains a store.
  const child = spawn(process.execPath, scriptArguments(PROGRAM), {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // Ignores errors of writes to the stdin of the separate process, because a process that fails early does not read it.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(pasts));
  await once(child, 'close');
}
