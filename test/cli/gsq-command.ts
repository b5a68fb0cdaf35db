import { join, resolve } from 'node:path';
import { outputOf } from '../../cli/console/output.ts';
import { openTerminal } from '../../cli/console/terminal.ts';
import { runGsq } from '../../cli/dispatch.ts';
import type { FakeTerminal } from './fake-terminal.ts';

const catalog = join(resolve(import.meta.dirname, '../..'), 'catalog.json');

/** The exit status of a gsq command, and its output on stdout and stderr. */
interface Result {
  status: number;
  /** The output of the command on stdout. */
  out: string;
  /** The output of the command on stderr. */
  talk: string;
}

/** Options for running a gsq command without a terminal, as if its output went to a file or to another program. */
export const piped = { stdout: outputOf({}, {}), stderr: outputOf({}, {}), now: Date.now };

/** Runs a gsq command in this process, on a fake terminal. The screen shows both stdout and stderr of the command. */
export function gsqOn(screen: FakeTerminal, env: Record<string, string>, ...args: string[]): Promise<number> {
  const stdin = { isTTY: false } as Parameters<typeof openTerminal>[0]['stdin'];
  const all = { PATH: process.env.PATH, GSQ_CATALOG: catalog, ...env };
  return runGsq(args, openTerminal({ stdin, stdout: screen, stderr: screen, env: all }));
}

/** Runs a gsq command in this process. Its environment variables are `env`, PATH and GSQ_CATALOG. */
export async function gsq(env: Record<string, string>, ...args: string[]): Promise<Result> {
  let out = '';
  let talk = '';
  const status = await runGsq(args, {
    env: { PATH: process.env.PATH, GSQ_CATALOG: catalog, ...env },
    out: text => {
      out += text;
    },
    talk: line => {
      talk += `${line}\n`;
    },
    ...piped,
  });
  return { status, out, talk };
}
