import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { demoPlan } from './fleet-plan.ts';
import { madeUpPast } from './past.ts';

const PROGRAM = fileURLToPath(new URL('../../core/past.ts', import.meta.url));

/**
 * Invents a history of the past week for the demo servers, and stores it in the data directory. If it cannot be stored,
 * the demo starts without a history. `notes.servers`: JSON array with the address of each demo server.
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
  // Starts core/past.ts, which stores the demo servers with their history. It does nothing if the data directory
  // already contains a store.
  const child = spawn(process.execPath, scriptArguments(PROGRAM), {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // Ignores write errors on stdin, because a process that fails early does not read its stdin.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(pasts));
  await once(child, 'close');
}
