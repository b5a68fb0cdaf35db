import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { A2sServer } from '../../system/a2s-server.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { commandOf } from '../first-screen.ts';
import { NpmStart } from '../npm-start.ts';

const root = resolve(import.meta.dirname, '../../..');
const TOKEN = /gsq_\w{20,}/g;

/**
 * Runs lines in a shell, as if a user had pasted them, and returns the output. The shell has no settings of the service
 * in its environment.
 */
async function paste(lines: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', lines], {
    cwd: root,
    env: { PATH: process.env.PATH },
  });
  return stdout;
}

/** Sends the request that `npm start` printed. Returns the HTTP status and the decoded answer. */
async function request(lines: string) {
  const [body = '', status] = (await paste(`${lines} -s -w '\\n%{http_code}'`)).split(/\n(?=\d+$)/);
  return { status, answer: JSON.parse(body) };
}

describe('npm start', { skip: process.platform !== 'linux' }, () => {
  const home = scratchDirectory();
  const env = { GSQ_DATA_DIR: join(home, 'data'), GSQ_ALLOW_TARGETS: '127.0.0.0/8' };
  let token = '';

  test('prints commands at its first start that work when the user pastes them, on at most 24 lines of 80 columns', async t => {
    const server = await A2sServer.start();
    t.after(() => server.stop());
    const start = new NpmStart(home, env);
    t.after(() => start.close());
    await start.until('More tokens');
    await start.until('create --email');
    const lines = start.shown.trimEnd().split('\n');
    // Counts two more lines, because `npm start` does not print them: the line with the command that the user typed,
    // and the line of the cursor.
    assert.ok(lines.length + 2 <= 24, start.shown);
    for (const line of lines) assert.ok(line.length <= 80, line);
    const secrets = start.shown.match(TOKEN) ?? [];
    assert.equal(secrets.length, 1, start.shown);
    token = secrets[0] ?? '';

    const printed = commandOf(start.shown);
    const unchanged = await request(printed);
    assert.equal(unchanged.status, '200');
    assert.equal(unchanged.answer._meta.invalid_servers[0].reason, 'unknown_game');
    const own = await request(printed.replace('GAME', 'counterstrike2').replace('HOST:PORT', server.address));
    assert.equal(own.status, '200');
    assert.equal(own.answer[server.address]._updater.status, 'online');

    const exported = /^ {2}export (?:.*\\\n)*.*$/m.exec(start.shown)?.[0];
    const another = /More tokens: ((?:.*\\\n)*.*)$/m.exec(start.shown)?.[1];
    assert.match(await paste(`${exported}\n${another} 2>/dev/null`), /^gsq_\w+\n$/);

    assert.equal(await start.interrupt(), 0, start.shown);
    assert.match(start.shown, /\^C\nStopping; .*\nStopped; all data is stored in \S+data\n/);
  });

  test('does not print the old token at the second start, but prints a command that creates a new token', async t => {
    const start = new NpmStart(home, { ...env, GSQ_LOG_LEVEL: 'info' });
    t.after(() => start.close());
    await start.until('More tokens');
    await start.until('create --email');
    assert.doesNotMatch(start.shown, TOKEN);
    assert.ok(token !== '');
    assert.match(start.shown, /^\d\d:\d\d:\d\d core info: ready$/m);
    assert.doesNotMatch(start.shown, /"msg"/);
    const { status, answer } = await request(commandOf(start.shown));
    assert.equal(status, '200');
    const { _meta, ...servers } = answer;
    assert.deepEqual(
      Object.values(servers).map(payload => (payload as { name: string }).name),
      ['A server of the tests'],
    );
    assert.equal(await start.interrupt(), 0, start.shown);
  });
});
