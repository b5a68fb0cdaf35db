import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const module = (name: string): string =>
  JSON.stringify(new URL(`../../runtime/${name}.ts`, import.meta.url).href);

const PRELUDE = `
import { runProcess } from ${module('lifecycle')};
import { ConfigError } from ${module('config')};
import { createLogger } from ${module('log')};
const log = createLogger('probe', 'info');
`;

describe('runProcess (start and end of a gsq process)', () => {
  const folder = scratchDirectory();
  const running: ChildProcess[] = [];

  after(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  function start(body: string, ipc = true) {
    const path = join(folder, `${running.length}.mts`);
    writeFileSync(path, `${PRELUDE}${body}`);
    const child = spawn(process.execPath, scriptArguments(path), {
      stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    });
    running.push(child);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // Waits for the exit of the child process and for the end of its stderr. The event `close` would mean both, but
    // Node does not emit it if the parent process has closed the IPC channel.
    const ended = Promise.all([once(child, 'exit'), once(child.stderr ?? child, 'end')]).then(
      ([[status]]) => ({
        status: status as number | null,
        stderr,
      }),
    );
    const logged = (text: string) =>
      new Promise<void>(resolve => {
        const look = (): void => {
          if (stderr.includes(text)) resolve();
        };
        child.stderr?.on('data', look);
        look();
      });
    return { child, ended, logged };
  }

  const SERVING = `
const held = setInterval(() => {}, 1000);
await runProcess(() => log, async () => ({
  addresses: { GSQ_HTTP_ADDR: '127.0.0.1:1' },
  notes: { token: 't' },
  drain: async () => { clearInterval(held); log.info('drained'); },
}));`;

  test('sends its parent process the addresses on which the process listens', async () => {
    const { child, ended } = start(SERVING);
    const [message] = await once(child, 'message');
    assert.deepEqual(message, {
      type: 'ready',
      addresses: { GSQ_HTTP_ADDR: '127.0.0.1:1' },
      notes: { token: 't' },
    });
    child.kill('SIGTERM');
    await ended;
  });

  for (const [how, end] of [
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
    ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
    ['the end of its parent process', (child: ChildProcess) => child.disconnect()],
  ] as const) {
    test(`drains the process and ends with status 0 after ${how}`, async () => {
      const { child, ended } = start(SERVING);
      await once(child, 'message');
      end(child);
      const { status, stderr } = await ended;
      assert.equal(status, 0, stderr);
      assert.equal(stderr.match(/drained/g)?.length, 1);
    });
  }

  test('drains the gsq process if its parent process ends during the start', async () => {
    const { child, ended, logged } = start(`
log.info('starting');
${SERVING.replace('async () => ({', "async () => { await new Promise(gone => process.once('disconnect', gone)); return {").replace('}));', '}; });')}`);
    await logged('starting');
    child.disconnect();
    const { status, stderr } = await ended;
    assert.equal(status, 0, stderr);
    assert.match(stderr, /drained/);
  });

  const STUCK = `
const held = setInterval(() => {}, 1000);
await runProcess(() => log, async () => ({ addresses: {}, drain: () => new Promise(() => {}) }));`;

  test('ends with status 1 if another signal arrives at least one second after the first', async () => {
    const { child, ended, logged } = start(STUCK);
    await once(child, 'message');
    child.kill('SIGINT');
    await logged('draining');
    const again = setInterval(() => child.kill('SIGINT'), 50);
    const { status, stderr } = await ended;
    clearInterval(again);
    assert.equal(status, 1);
    const times = stderr
      .split('\n')
      .filter(line => /draining|second signal/.test(line))
      .map(line => Number(JSON.parse(line).time));
    assert.equal(times.length, 2, stderr);
    // Two signals within 1 s count as one, so the log lines of two signals must be at least 1 s apart. Log times are
    // rounded to milliseconds, so 999 ms are allowed.
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 999, stderr);
  });

  test('ends with status 0 if a signal arrives before the process is ready', async () => {
    const { child, ended, logged } = start(`
const held = setInterval(() => {}, 1000);
setImmediate(() => log.info('starting'));
await runProcess(() => log, () => new Promise(() => {}));`);
    await logged('starting');
    child.kill('SIGTERM');
    assert.equal((await ended).status, 0);
  });

  test('logs an uncaught exception and ends with status 1', async () => {
    const { child, ended } = start(`
await runProcess(() => log, async () => ({ addresses: {}, drain: async () => {} }));
setImmediate(() => Promise.reject(new Error('odd')));`);
    await once(child, 'message');
    const { status, stderr } = await ended;
    assert.equal(status, 1);
    const told = stderr.split('\n').find(line => line.includes('unexpected error'));
    assert.match(JSON.parse(told ?? '{}').err?.message, /odd/);
  });

  test('works for a process without an IPC channel to its parent process', async () => {
    const { child, ended, logged } = start(SERVING, false);
    await logged('"ready"');
    child.kill('SIGTERM');
    assert.equal((await ended).status, 0);
  });

  test('ends with status 3 and a one-line message if a setting cannot be used', async () => {
    const { ended } = start(
      `await runProcess(() => log, async () => { throw new ConfigError('GSQ_X: no'); });`,
    );
    assert.deepEqual(await ended, { status: 3, stderr: 'gsq: GSQ_X: no\n' });
  });

  test('ends with status 1 and a stack trace after an unexpected error', async () => {
    const { ended } = start(`await runProcess(() => log, async () => { throw new Error('odd'); });`);
    const { status, stderr } = await ended;
    assert.equal(status, 1);
    assert.match(stderr, /gsq: Error: odd\n\s+at /);
  });

  test('ends with status 1 if draining fails', async () => {
    const { child, ended } = start(`
await runProcess(() => log, async () => ({ addresses: {}, drain: async () => { throw new Error('stuck'); } }));`);
    await once(child, 'message');
    child.kill('SIGTERM');
    const { status, stderr } = await ended;
    assert.equal(status, 1);
    assert.match(stderr, /stuck/);
  });
});
