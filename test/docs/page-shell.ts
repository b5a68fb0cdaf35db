import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { EXECUTABLE } from '../../cli/console/invocation.ts';
import { keepSecret } from '../system/transcript.ts';

/**
 * Shell functions for the shell blocks of the docs. `curl` fails on an HTTP error status. `npx gsq` works outside the
 * project directory.
 */
const PREAMBLE = `
curl() { command curl --silent --show-error --fail-with-body "$@"; }
npx() { shift; '${EXECUTABLE}' "$@"; }
`;

/** Environment of the shell in which the shell blocks of the documentation run. */
export interface PageShell {
  /** Working directory. */
  home: string;
  env: Readonly<Record<string, string>>;
}

/**
 * Runs a shell block of the docs in bash, with `input` as its standard input. Resolves with standard output (`out`) and
 * standard error (`talk`). Rejects with both if a command fails.
 */
export async function runBlock(
  { home, env }: PageShell,
  code: string,
  input = '',
): Promise<{ out: string; talk: string }> {
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', PREAMBLE + code], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const status = new Promise<number | null>(resolve => child.on('close', resolve));
  // Ignores write errors: a shell block that does not read its input can end before all of `input` is written.
  child.stdin.on('error', () => {}).end(input);
  const [out, talk] = await Promise.all([text(child.stdout), text(child.stderr)]);
  for (const [secret] of out.matchAll(/(?:gsq|whsec)_[\w+/=-]{20,}/g)) keepSecret(secret);
  if ((await status) !== 0) throw new Error(`${code}\nended with status ${await status}:\n${out}${talk}`);
  return { out, talk };
}
