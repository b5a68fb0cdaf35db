import { join, resolve } from 'node:path';
import { runGsq } from '../../cli/dispatch.ts';

const catalog = join(resolve(import.meta.dirname, '../..'), 'catalog.json');

/** The exit status of a gsq command, and everything that it wrote to stdout and stderr. */
interface Result {
  status: number;
  /** The text on stdout. */
  out: string;
  /** The text on stderr. */
  talk: string;
}

/** Runs a gsq command in this process. Its environment consists of `env`, PATH, and the catalog of the project. */
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
  });
  return { status, out, talk };
}
