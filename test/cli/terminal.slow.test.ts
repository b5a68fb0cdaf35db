import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { A2sServer } from '../system/a2s-server.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { Stack } from '../system/stack.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { FakeTerminal } from './fake-terminal.ts';
import { gsq } from './gsq-command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXECUTABLE = resolve(ROOT, 'cli/gsq.mjs');
const NAMES = [
  '日本語サーバー 東京大阪京都名古屋札幌福岡神戸横浜千葉仙台広島岡山',
  '👩‍👩‍👧‍👦 family 👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦',
  '\x1b[2J\x1b]0;title\x07 \u202eexe.txt Cafe\u0301',
];

describe('the output of a gsq command', () => {
  let stack: Stack;
  let servers: A2sServer[];
  let env: Record<string, string>;

  before(async () => {
    servers = await Promise.all(NAMES.map(name => A2sServer.start({ name })));
    stack = await Stack.start();
    env = {
      GSQ_INTERNAL_ADDR: stack.internal,
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    };
    const addresses = servers.map(({ address }) => address);
    assert.equal((await gsq(env, 'servers', 'add', 'csgo', ...addresses)).status, 0);
    await until(
      'the servers online',
      async () => JSON.parse((await gsq(env, 'stats', '--json')).out),
      ({ servers: { online } }) => online === NAMES.length,
    );
  });
  after(async () => {
    await stack.stop();
    for (const server of servers) server.stop();
  });

  /** Runs a gsq command on a real pseudo-terminal, with the command `script` of util-linux. Presses `q` at the end. */
  async function onPty(columns: number, more: Record<string, string>, ...args: string[]) {
    const command = `stty cols ${columns} rows 24 && exec ${EXECUTABLE} ${args.join(' ')}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env, ...more },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const screen = new FakeTerminal(columns);
    let asked = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen.write(text);
      if (screen.plain.includes('press q to quit') && !asked) {
        asked = true;
        child.stdin.write('q');
      }
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { screen, status };
  }

  for (const columns of [80, 40]) {
    test(`wraps no line and cuts no character on a terminal of ${columns} columns`, async () => {
      for (const args of [['servers', 'list'], ['stats'], ['top'], ['token', 'list'], ['games', 'counter']]) {
        const { screen, status } = await onPty(columns, {}, ...args);
        assert.equal(status, 0, screen.text);
        assert.deepEqual(screen.faults, [], `gsq ${args.join(' ')}\n${screen.plain}`);
        if (args[0] !== 'stats') assert.ok(screen.text.includes('\x1b['), `${args.join(' ')}: colours`);
      }
      const { screen } = await onPty(columns, { NO_COLOR: '1' }, 'servers', 'list');
      assert.deepEqual(screen.faults, []);
      assert.ok(!screen.text.includes('\x1b'));
      assert.match(screen.plain, /日本語サーバー/);
      assert.match(screen.plain, / s ago|now/);
    });
  }

  test('contains ISO 8601 times and one line for each server if the command does not write to a terminal', async () => {
    const { out } = await gsq(env, 'servers', 'list');
    const lines = out.trimEnd().split('\n');
    assert.equal(lines.length, NAMES.length + 1);
    for (const line of lines.slice(1)) assert.match(line, / \d{4}-\d\d-\d\dT\S+Z /);
  });
});

/**
 * Code of a child process. When its terminal is closed, the process writes log lines. Then it creates the file whose
 * path is in the environment variable DONE.
 */
const LOGGING = `
  import { writeFileSync } from 'node:fs';
  import { createLogger } from '${pathToFileURL(resolve(ROOT, 'runtime/log.ts'))}';
  const log = createLogger('core', 'info', process.env.FORMAT);
  process.on('SIGHUP', () => {
    for (let i = 0; i < 3; i++) log.info('after the end of the terminal');
    writeFileSync(process.env.DONE, '');
    process.exit();
  });
  setInterval(() => {}, 1_000);
  log.info('ready');
`;

for (const format of ['json', 'text']) {
  test(`a gsq process with the log format ${format} can finish its work after its terminal is closed`, async () => {
    const done = join(scratchDirectory(), 'done');
    const args = ['--import', './runtime/typescript.mjs', '--input-type=module', '-e', '"$PROGRAM"'];
    const child = spawn('script', ['-qec', `exec node ${args.join(' ')}`, '/dev/null'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, PROGRAM: LOGGING, DONE: done, FORMAT: format },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (shown.includes('ready')) child.kill('SIGKILL');
    });
    await once(child, 'close');
    assert.match(shown, /ready/);
    await until(
      'the end of the work',
      () => existsSync(done),
      exists => exists,
    );
  });
}
