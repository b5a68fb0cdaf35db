import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { CommandError, type Terminal } from '../console/command.ts';

const OFFLINE = fileURLToPath(new URL('../../core/offline.ts', import.meta.url));

/**
 * Runs core/offline.ts in a separate process with the arguments `args`. Resolves to the exit status. Calls `take` with
 * each chunk of the stdout. No core may use the data directory while the process runs, unless its task is `migrate`.
 */
export async function runOffline(
  args: readonly string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
  take: (chunk: Buffer) => void | Promise<void>,
): Promise<number> {
  const child = spawn(process.execPath, [...scriptArguments(OFFLINE), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    const lines = said.split('\n');
    said = lines.pop() ?? '';
    for (const line of lines) terminal.talk(line);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === null)
        reject(
          new CommandError(
            exitStatus.failed,
            `the process that works on the store was ended by the signal ${signal}`,
          ),
        );
      else resolve(code);
    });
  });
  ended.catch(() => {});
  for await (const chunk of child.stdout) await take(chunk as Buffer);
  return ended;
}
