/*
 * Runs the commands of the pages about webhooks in docs/recipes, against a gsq service with the option --demo. The
 * commands are the same as on the pages, except for the addresses, the ports and the ids.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { EXECUTABLE } from '../../cli/console/invocation.ts';
import { type Launcher, launch } from '../cli/launcher-process.ts';
import { freePort } from '../peers/free-port.ts';
import { Child } from './child.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { keepSecret } from './transcript.ts';
import { until } from './until.ts';

const root = resolve(import.meta.dirname, '../..');

/** Returns the blocks of shell commands on a page in docs/recipes, except for the block that starts gsq. */
function blocksOf(page: string): string[] {
  const content = readFileSync(join(root, 'docs/recipes', page), 'utf8');
  const blocks = [...content.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.filter(block => !block.startsWith('npm start'));
}

describe('the recipes for webhooks', () => {
  let launcher: Launcher;
  let token = '';
  let server = '';
  const home = scratchDirectory();

  before(async () => {
    launcher = launch({}, '--demo');
    await launcher.until(() => launcher.ready !== undefined);
    const [{ id } = { id: '' }] = JSON.parse(await shell('npx gsq token list --json')) as { id: string }[];
    token = id;
    const list = await shell('npx gsq servers list --game counterstrike2 --json');
    [{ server } = { server: '' }] = JSON.parse(list) as { server: string }[];
  });
  after(async () => {
    launcher.child.kill('SIGINT');
    await launcher.ended();
  });

  /** Runs the commands of a recipe in bash, and returns their output on stdout. Fails if the last command fails. */
  async function shell(commands: string): Promise<string> {
    const { GSQ_INTERNAL_ADDR = '' } = launcher.ready?.addresses ?? {};
    const secret = join(root, 'data/internal.secret');
    const env = { PATH: process.env.PATH, GSQ_INTERNAL_ADDR, GSQ_INTERNAL_SECRET_FILE: secret };
    const script = commands.replaceAll('npx gsq', `'${EXECUTABLE}'`);
    const child = spawn('bash', ['-ec', script], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
    const status = new Promise<number | null>(done => child.on('close', done));
    const [out, talk] = await Promise.all([text(child.stdout), text(child.stderr)]);
    for (const [made] of out.matchAll(/whsec_\S+/g)) keepSecret(made);
    assert.equal(await status, 0, `${commands}\n${talk}`);
    return out;
  }

  for (const [page, port] of [
    ['alert-on-my-server.md', 8099],
    ['discord-message.md', 8098],
  ] as const) {
    test(`the commands of docs/recipes/${page} run as the page says`, async t => {
      const [receiver = '', ...blocks] = blocksOf(page).sort(
        (a, b) => Number(b.startsWith('node ')) - Number(a.startsWith('node ')),
      );
      const free = String(await freePort());
      const stand = await Child.start('bash', () => ['-c', `exec ${receiver.replace(`${port}`, free)}`]);
      t.after(() => stand.stop('SIGKILL'));
      let hook = '';
      for (const block of blocks) {
        const commands = block
          .replaceAll(`:${port}/`, `:${free}/`)
          .replaceAll('tok_…', token)
          .replaceAll('hook_…', hook)
          .replaceAll('127.0.1.1:27515', server);
        const out = await shell(commands);
        if (block.includes('webhooks test')) assert.match(out, /^result +delivered$/m);
        const hooks = JSON.parse(await shell('npx gsq webhooks list --json')) as { id: string }[];
        hook ||= hooks[0]?.id ?? '';
      }
      const expected = page.startsWith('alert') ? /"event":"test"/ : /^POST \/api\/webhooks\/1\/secret/m;
      await until(
        'the request',
        () => stand.output,
        output => expected.test(output),
      );
      for (const { id } of JSON.parse(await shell('npx gsq webhooks list --json')) as { id: string }[])
        await shell(`npx gsq webhooks remove ${id}`);
    });
  }
});
