import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PAGE = join(resolve(import.meta.dirname, '../..'), 'docs/upgrading.md');
const GSQ = /^(?:[A-Z_]+=\S+ )?(?:npx gsq|npm run gsq --) (.*)$/;
const CORE = /^(?:[A-Z_]+=\S+ )?npm run core$/;
/**
 * Commands of docs/upgrading.md that a test cannot run: they change the directory or install packages, or they need the
 * default ports.
 */
const LEFT_OUT = /^(?:cd |npm ci$|curl |systemctl |ln |(?:[A-Z_]+=\S+ )?npm run core -- --print-config$)/;

/** Functions that run some commands of docs/upgrading.md, because the test uses no shell for these commands. */
export interface Runner {
  /** Runs a gsq command of docs/upgrading.md. `args`: the arguments of this command. */
  gsq(args: string[]): Promise<void>;
  /**
   * Starts the core. `followSection` calls this function instead of the command `npm run core` of docs/upgrading.md.
   */
  startCore(): Promise<void>;
}

/** Returns the code blocks of shell commands below a heading of docs/upgrading.md, up to the next heading. */
function blocksUnder(heading: string): string[] {
  const [, rest] = readFileSync(PAGE, 'utf8').split(`\n### ${heading}\n`);
  if (rest === undefined) throw new Error(`docs/upgrading.md has no section "${heading}"`);
  const [section = ''] = rest.split(/\n##+ /);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/**
 * Runs the commands of a section of docs/upgrading.md, or only its code block number `block` (from 0). Replaces
 * /var/lib and /backups by directories below `home`.
 */
export async function followSection(
  home: string,
  heading: string,
  { gsq, startCore }: Runner,
  block?: number,
): Promise<void> {
  const blocks = blocksUnder(heading);
  const chosen = block === undefined ? blocks : blocks.slice(block, block + 1);
  if (chosen.length === 0) throw new Error(`the section "${heading}" has no such code block`);
  for (const line of chosen.flatMap(text => text.trimEnd().split('\n'))) {
    const command = line.replace(/ +#.*$/, '').replace(/\/(?:var\/lib|backups)\b/g, path => join(home, path));
    const [, args] = GSQ.exec(command) ?? [];
    if (args !== undefined) await gsq(args.split(' '));
    else if (CORE.test(command)) await startCore();
    else if (/^(?:cp|mv|mkdir) /.test(command)) execFileSync('sh', ['-ec', command]);
    else if (!LEFT_OUT.test(command)) throw new Error(`the test does not know how to run: ${command}`);
  }
}
