import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { StartedMessage } from '../../cli/launcher/launch.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { Transcript } from '../system/transcript.ts';

const root = resolve(import.meta.dirname, '../..');
const ANY_PORT = Object.fromEntries(
  ['HTTP', 'GRPC', 'INTERNAL', 'CORE_OPS', 'GATEWAY_OPS', 'PROBER_OPS'].map(name => [
    `GSQ_${name}_ADDR`,
    '127.0.0.1:0',
  ]),
);

/** A launcher with what it said so far. */
class Launcher {
  readonly child: ChildProcess;
  readonly pids = new Map<string, number[]>();
  stdout = '';
  stderr = '';
  ready: ReadyMessage | undefined;
  #changed: () => void = () => {};

  constructor(env: Record<string, string>, ...args: string[]) {
    this.child = spawn(process.execPath, ['--import', 'tsx', 'cli/gsq.ts', 'start', ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...ANY_PORT, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // Its stdout shows the first token, as it should.
    new Transcript('cli/gsq.ts start', env).hear(this.child.stderr);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#changed();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changed();
    });
    this.child.on('message', message => {
      const told = message as StartedMessage | ReadyMessage;
      if (told.type === 'ready') this.ready = told;
      else this.pids.set(told.name, [...(this.pids.get(told.name) ?? []), told.pid ?? 0]);
      this.#changed();
    });
    this.child.on('exit', () => this.#changed());
  }

  /** Waits until `done` holds; fails where the launcher ends before. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      assert.equal(this.child.exitCode, null, this.stderr);
      await new Promise<void>(wake => {
        this.#changed = wake;
      });
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

const launchers: Launcher[] = [];

function launch(env: Record<string, string>, ...args: string[]): Launcher {
  const launcher = new Launcher(env, ...args);
  launchers.push(launcher);
  return launcher;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls what sends no event: a process that is not our child. */
async function gone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise(resolve => setTimeout(resolve, 20));
}

const allPids = ({ pids }: Launcher): number[] => [...pids.values()].flat();

const folder = scratchDirectory();
after(() => {
  for (const launcher of launchers) {
    launcher.child.kill('SIGKILL');
    for (const pid of allPids(launcher)) if (pid > 0 && isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
});

interface Row {
  name: string;
  players: number;
  maxplayers: number;
  _updater: { status: string };
}

describe('npm start -- --demo', () => {
  let launcher: Launcher;
  let printed = '';

  before(async () => {
    launcher = launch({}, '--demo');
    await launcher.until(() => launcher.ready !== undefined && launcher.stdout.includes('These ask'));
    printed = /^ {2}curl(?:[^\n]*\\\n)*[^\n]*$/m.exec(launcher.stdout)?.[0] ?? '';
  });

  test('the printed curl, pasted as it stands, gets live servers by its first answer', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${printed} -s -w '\\n%{http_code}'`]);
    const [body = '', status] = stdout.split(/\n(?=\d+$)/);
    assert.equal(status, '200', body);
    const { _meta, ...servers } = JSON.parse(body) as Record<string, Row>;
    assert.ok(_meta);
    const rows = Object.values(servers);
    assert.ok(rows.length >= 4);
    for (const row of rows) {
      assert.equal(row._updater.status, 'online', body);
      assert.match(row.name, /^Demo \| /);
      assert.ok(row.players <= row.maxplayers);
    }
  });

  test('its answer is gzip', async () => {
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `${printed.replace('--compressed', '-s').replace("-w '\\n'", '')} -H 'Accept-Encoding: gzip'`],
      { encoding: 'buffer' },
    );
    assert.match(gunzipSync(stdout).toString(), /"_meta"/);
  });

  test('the printed buf curl finds its way by reflection', async () => {
    const buf = /^ {2}npx (buf(?:[^\n]*\\\n)*[^\n]*)$/m.exec(launcher.stdout)?.[1] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', `${root}/node_modules/.bin/${buf}`]);
    const { results } = JSON.parse(stdout) as { results: { updater: { status: string } }[] };
    assert.ok(results.length >= 4);
    for (const { updater } of results) assert.equal(updater.status, 'SERVER_STATUS_ONLINE');
  });

  test('a command that is told its address and nothing else is let in', async () => {
    const { GSQ_INTERNAL_ADDR = '' } = launcher.ready?.addresses ?? {};
    const argv = ['--import', 'tsx', 'cli/gsq.ts', 'token', 'list', '--json'];
    const env = { PATH: process.env.PATH, GSQ_INTERNAL_ADDR };
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: root, env });
    assert.equal((JSON.parse(stdout) as object[]).length, 1);
  });

  for (const name of ['core', 'gateway', 'prober']) {
    test(`${name}, killed, is back at its address`, async () => {
      const before = launcher.pids.get(name) ?? [];
      process.kill(before.at(-1) ?? 0, 'SIGKILL');
      await launcher.until(() => (launcher.pids.get(name)?.length ?? 0) > before.length);
      assert.match(
        launcher.stderr,
        new RegExp(`gsq: ${name} ended \\(SIGKILL\\); starting it again in \\d+ ms`),
      );
      // What it serves comes back where it was; refused connections in between are expected.
      const setting = {
        core: 'GSQ_CORE_OPS_ADDR',
        gateway: 'GSQ_GATEWAY_OPS_ADDR',
        prober: 'GSQ_PROBER_OPS_ADDR',
      };
      const url = `http://${launcher.ready?.addresses[setting[name as keyof typeof setting]]}/readyz`;
      let status = 0;
      while (status !== 200) {
        status = await fetch(url).then(
          response => response.status,
          () => 0,
        );
        if (status !== 200) await new Promise(resolve => setTimeout(resolve, 20));
      }
    });
  }

  test('Ctrl-C drains everything, ends with 0 and leaves nothing behind', async () => {
    const data = /^ {2}Data +(\S+)/m.exec(launcher.stdout)?.[1] ?? '';
    assert.ok(existsSync(data), data);
    // Twice, as npm does: it forwards what the terminal has sent to both.
    launcher.child.kill('SIGINT');
    launcher.child.kill('SIGINT');
    assert.equal(await launcher.ended(), 0, launcher.stderr);
    assert.deepEqual(allPids(launcher).filter(isRunning), []);
    assert.equal(existsSync(data), false);
  });
});

test('without a demo: the placeholder at first, no token later; the data stays', async () => {
  const data = join(folder, 'data');
  const first = launch({ GSQ_DATA_DIR: data });
  await first.until(() => first.stdout.includes('Put your own'));
  assert.match(first.stdout, /"203\.0\.113\.7:27015"/);
  const token = /^ {2}(gsq_\S+)$/m.exec(first.stdout)?.[1];
  assert.ok(token, first.stdout);
  first.child.kill('SIGTERM');
  assert.equal(await first.ended(), 0, first.stderr);

  const second = launch({}, '--data-dir', data);
  await second.until(() => second.stdout.includes('token create'));
  assert.ok(!second.stdout.includes(token));
  assert.ok(second.stdout.includes(data));

  // The launcher dies without a word: its processes notice.
  const pids = allPids(second);
  assert.equal(pids.length, 3, second.stderr);
  second.child.kill('SIGKILL');
  await second.ended();
  await gone(pids);
});

test('a setting the core refuses ends the launch with its message and status 3', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'refused'), GSQ_STORE: 'nix' });
  assert.equal(await launcher.ended(), 3);
  assert.match(launcher.stderr, /GSQ_STORE: "nix"/);
  assert.equal(launcher.stdout, '');
});

test('an address in use ends the first start, and what ran before with it; the next one prints a token', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const env = { GSQ_DATA_DIR: join(folder, 'busy'), GSQ_HTTP_ADDR: `127.0.0.1:${port}` };
  const failed = launch(env);
  assert.equal(await failed.ended(), 3);
  assert.match(failed.stderr, new RegExp(`^gsq: GSQ_HTTP_ADDR: 127\\.0\\.0\\.1:${port} is in use; `, 'm'));
  assert.equal(failed.stdout, '');
  assert.deepEqual([...failed.pids.keys()], ['core', 'prober', 'gateway']);
  assert.deepEqual(allPids(failed).filter(isRunning), []);

  holder.close();
  await once(holder, 'close');
  const next = launch(env);
  await next.until(() => next.stdout.includes('Put your own'));
  assert.match(next.stdout, /^ {2}gsq_\S+$/m);
  next.child.kill('SIGINT');
  assert.equal(await next.ended(), 0, next.stderr);
});

test('Ctrl-C during the start ends it with 0', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'early') });
  await launcher.until(() => launcher.pids.has('core'));
  launcher.child.kill('SIGINT');
  assert.equal(await launcher.ended(), 0, launcher.stderr);
  assert.deepEqual(allPids(launcher).filter(isRunning), []);
  assert.equal(launcher.stdout, '');
});

test('Ctrl-C again stops at once what does not drain', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'stuck') });
  await launcher.until(() => launcher.ready !== undefined);
  const core = launcher.pids.get('core')?.[0] ?? 0;
  process.kill(core, 'SIGSTOP');
  launcher.child.kill('SIGINT');
  // Only until it is done: who is about to end listens no more, and a signal then is the end.
  const again = setInterval(() => isRunning(core) && launcher.child.kill('SIGINT'), 100);
  assert.equal(await launcher.ended(), 1, launcher.stderr);
  clearInterval(again);
  assert.deepEqual(allPids(launcher).filter(isRunning), []);
});
