import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { demoPlan } from './fleet-plan.ts';
import { madeUpPast } from './past.ts';

const PROGRAM = fileURLToPath(new URL('../../core/past.ts', import.meta.url));

/**
 * Creates a made-up past for the fake game servers of the demo. A separate process with the code of the core does this.
 * `notes`: data from the process that runs the fake servers; `notes.servers` contains their addresses as JSON. Does
 * nothing if the data directory exists already. If the separate process fails, the demo runs without a past.
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
