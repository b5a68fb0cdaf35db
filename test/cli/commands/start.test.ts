import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { demoPlan } from '../../../cli/demo/fleet-plan.ts';
import { scriptArguments } from '../../../runtime/script.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { commandOf, LINES_BESIDE_SCREEN } from '../first-screen.ts';
import { allPids, isRunning, type Launcher, launch } from '../launcher-process.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = scratchDirectory();

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
    launcher = launch({ GSQ_LOG_LEVEL: 'info' }, '--demo');
    await launcher.until(() => launcher.ready !== undefined && launcher.stdout.includes('More tokens'));
    printed = commandOf(launcher.stdout);
  });

  test('prints a curl command whose first answer already shows all demo servers as online', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', `${printed} -s -w '\\n%{http_code}'`]);
    const [body = '', status] = stdout.split(/\n(?=\d+$)/);
    assert.equal(status, '200', body);
    const { _meta, ...servers } = JSON.parse(body) as Record<string, Row>;
    assert.ok(_meta);
    const rows = Object.values(servers);
    assert.ok(rows.length >= 2);
    for (const row of rows) {
      assert.equal(row._updater.status, 'online', body);
      assert.match(row.name, /^Demo \| /);
      assert.ok(row.players <= row.maxplayers);
    }
  });

  test('prints a curl command that gets a gzip-compressed answer from the service', async () => {
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', `${printed.replace('--compressed', '-s').replace(" -w '\\n'", '')} -H 'Accept-Encoding: gzip'`],
      { encoding: 'buffer' },
    );
    assert.match(gunzipSync(stdout).toString(), /"_meta"/);
  });

  test('prints a first screen that fits a terminal of 24 lines and 80 columns, and contains the token once', () => {
    const lines = launcher.stdout.trimEnd().split('\n');
    assert.ok(lines.length + LINES_BESIDE_SCREEN <= 24, launcher.stdout);
    for (const line of lines) assert.ok(line.length <= 80, line);
    assert.equal(launcher.stdout.match(/gsq_\w+/g)?.length, 1, launcher.stdout);
  });

  test('prints the command `gsq servers list`, which lists all demo servers as online', async () => {
    const list = /^ {2}Servers: +(.+)$/m.exec(launcher.stdout)?.[1];
    const exported = /^ {2}export (?:.*\\\n)*.*$/m.exec(launcher.stdout)?.[0];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${exported}\n${list} --json`], { cwd: root });
    const servers = JSON.parse(stdout) as { server: string; status: string }[];
    assert.equal(servers.length, demoPlan.length);
    for (const { server, status } of servers) {
      assert.match(server, /^127\./);
      assert.equal(status, 'online', stdout);
    }
  });

  test('writes its log as JSON lines if stderr is not a terminal', () => {
    const lines = launcher.stderr.split('\n').filter(line => /"msg"/.test(line));
    assert.ok(lines.length > 0, launcher.stderr);
    for (const line of lines) assert.ok(typeof JSON.parse(line).level === 'number', line);
  });

  test('starts a core to which `gsq token list` can connect with the single setting GSQ_INTERNAL_ADDR', async () => {
    const { GSQ_INTERNAL_ADDR = '' } = launcher.ready?.addresses ?? {};
    const argv = [...scriptArguments('cli/gsq.ts'), 'token', 'list', '--json'];
    const env = { PATH: process.env.PATH, GSQ_INTERNAL_ADDR };
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: root, env });
    assert.equal((JSON.parse(stdout) as object[]).length, 1);
  });

  test('ends all processes on Ctrl-C, deletes its data directory and exits with 0', async () => {
    const data = /Data +(\S+)$/m.exec(launcher.stdout)?.[1] ?? '';
    assert.ok(existsSync(data), data);
    // Sends SIGINT to the launcher twice. On Ctrl-C under npm, the terminal sends one SIGINT to the launcher, and npm
    // forwards a second one.
    launcher.child.kill('SIGINT');
    launcher.child.kill('SIGINT');
    assert.equal(await launcher.ended(), 0, launcher.stderr);
    assert.deepEqual(allPids(launcher).filter(isRunning), []);
    assert.equal(existsSync(data), false);
    assert.match(launcher.stderr, /Stopped; the data of the demo is deleted\n$/);
  });
});

test('npm start -- --demo ends all processes and deletes its data directory when its terminal is closed', async () => {
  const TMPDIR = scratchDirectory();
  const launcher = launch({ TMPDIR }, '--demo');
  launcher.child.stdout?.destroy();
  launcher.child.stderr?.destroy();
  await launcher.until(() => launcher.ready !== undefined);
  launcher.child.kill('SIGHUP');
  assert.equal(await launcher.ended(), 0);
  assert.deepEqual(allPids(launcher).filter(isRunning), []);
  assert.deepEqual(
    readdirSync(TMPDIR).filter(name => name.startsWith('gsq-demo-')),
    [],
  );
});

test('npm start prints the error message of the core and exits with 3 if the core refuses a setting', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'refused'), GSQ_STORE: 'nix' });
  assert.equal(await launcher.ended(), 3);
  assert.match(launcher.stderr, /GSQ_STORE: "nix"/);
  assert.equal(launcher.stdout, '');
});

test('npm start exits with 0 on Ctrl-C, even if a process is not ready yet', async () => {
  const launcher = launch({ GSQ_DATA_DIR: join(folder, 'early') });
  await launcher.until(() => launcher.pids.has('core'));
  launcher.child.kill('SIGINT');
  assert.equal(await launcher.ended(), 0, launcher.stderr);
  assert.deepEqual(allPids(launcher).filter(isRunning), []);
  assert.equal(launcher.stdout, '');
});
