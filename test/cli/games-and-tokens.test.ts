import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET as SECRET } from '../system/stack-settings.ts';
import { gsq } from './gsq-command.ts';
import { withCore } from './running-core.ts';

const root = resolve(import.meta.dirname, '../..');

describe('gsq with a running core', () => {
  const folder = scratchDirectory();
  const env = withCore();

  test('prints the game catalog if the command is `gsq games`', async () => {
    const { status, out, talk } = await gsq(env, 'games');
    assert.equal(status, 0, talk);
    assert.match(out, /^ID +NAME\n/);
    assert.match(out, /^minecraft +Minecraft$/m);
    const json = await gsq(env, 'games', '--json');
    const games = JSON.parse(json.out) as { id: string; name: string }[];
    assert.ok(games.length > 300);
    assert.deepEqual(Object.keys(games[0] ?? {}), ['id', 'name']);
  });

  test('prints only the games whose id or name contains the word after `gsq games`', async () => {
    const byName = await gsq(env, 'games', 'MINECRAFT: bed', '--json');
    assert.deepEqual(JSON.parse(byName.out), [{ id: 'mbe', name: 'Minecraft: Bedrock Edition' }]);
    const byId = await gsq(env, 'games', 'mbe', '--json');
    assert.equal(byId.out, byName.out);
    const none = await gsq(env, 'games', 'no-such-word');
    assert.deepEqual([none.status, none.out], [1, '']);
    assert.match(none.talk, /^no game has "no-such-word" in its id or name/);
  });

  test('accepts the address of the core as a flag', async () => {
    const { GSQ_INTERNAL_ADDR, ...others } = env;
    const { status, talk } = await gsq(others, 'games', `--internal-addr=${GSQ_INTERNAL_ADDR}`);
    assert.equal(status, 0, talk);
  });

  test('creates, lists and revokes a token, and the list does not contain the secret', async () => {
    const made = await gsq(
      env,
      ...['token', 'create', '--email', 'Ann@Example.com', '--type', 'PRO', '--expires-in', '30d'],
      ...['--allow-ip', '192.0.2.0/24', '--allow-ip', '198.51.100.7', '--allow-domain', 'example.com'],
    );
    assert.equal(made.status, 0, made.talk);
    const secret = made.out.trim();
    assert.match(secret, /^\S{16,}$/);
    assert.doesNotMatch(made.talk, new RegExp(secret));

    const listed = await gsq(env, 'token', 'list', '--json');
    assert.equal(listed.status, 0);
    assert.ok(!listed.out.includes(secret));
    interface Listed {
      id: string;
      type: string;
      email: string;
      created_at: string;
      expires_at: string;
      revoked_at: string | null;
      allow_ips: string[];
      allow_domains: string[];
      used: number;
    }
    const token = (JSON.parse(listed.out) as Listed[]).find(({ email }) => /^ann@example\.com$/i.test(email));
    assert.ok(token, listed.out);
    assert.equal(token.type, 'PRO');
    const lifetime = Date.parse(token.expires_at) - Date.parse(token.created_at);
    assert.ok(Math.abs(lifetime - 30 * 86_400_000) < 60_000, `${lifetime}`);
    assert.deepEqual(token.allow_ips.length, 2);
    assert.deepEqual(token.allow_domains, ['example.com']);
    assert.equal(token.revoked_at, null);
    assert.equal(token.used, 0);

    const human = await gsq(env, 'token', 'list');
    assert.match(human.out, /^ID +TYPE +E-MAIL +STATE +USED 24 H +LAST USED +EXPIRES +ALLOWED FROM\n/);
    assert.match(human.out, new RegExp(`^${token.id} +PRO +\\S+ +live +0 `, 'm'));
    assert.match(human.out, / {2}\S+, \S+, example\.com$/m);

    const revoked = await gsq(env, 'token', 'revoke', token.id);
    assert.equal(revoked.status, 0, revoked.talk);
    const again = await gsq(env, 'token', 'revoke', token.id, '--json');
    assert.equal(again.status, 0, 'revoking twice is no error');
    assert.notEqual((JSON.parse(again.out) as Listed).revoked_at, null);
    assert.match((await gsq(env, 'token', 'list')).out, new RegExp(`^${token.id} .* revoked `, 'm'));
  });

  test('prints the secret and the token as JSON if the command is `gsq token create --json`', async () => {
    const { status, out } = await gsq(env, ...['token', 'create', '--email', 'b@example.com', '--json']);
    assert.equal(status, 0);
    const made = JSON.parse(out) as { secret: string; token: { type: string; expires_at: null } };
    assert.equal(made.token.type, 'FREE');
    assert.equal(made.token.expires_at, null);
    assert.ok(made.secret.length >= 16);
  });

  test('exits with 1 if a token id is unknown, and with 2 if the core refuses an argument', async () => {
    const unknown = await gsq(env, 'token', 'revoke', 'nix');
    assert.equal(unknown.status, 1);
    const bad = await gsq(env, 'token', 'create', '--email', 'no-mail', '--type', 'FREE');
    assert.equal(bad.status, 2);
    assert.notEqual(bad.talk, '');
  });

  test('exits with 4 if the internal secret is missing or wrong', async () => {
    const { GSQ_INTERNAL_SECRET: _, ...bare } = env;
    assert.equal((await gsq(bare, 'token', 'list')).status, 4);
    assert.equal((await gsq({ ...env, GSQ_INTERNAL_SECRET: `${SECRET}.` }, 'token', 'list')).status, 4);
    const file = join(folder, 'secret');
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    assert.equal((await gsq(bare, 'token', 'list', '--internal-secret-file', file)).status, 0);
  });

  test('prints data to stdout and errors to stderr, and works in any current directory', async () => {
    const run = (...args: string[]) =>
      new Promise<{ status: number | string | null; stdout: string; stderr: string }>(done => {
        const command = [...scriptArguments(join(root, 'cli/gsq.ts')), ...args];
        const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
        execFile(process.execPath, command, options, (error, stdout, stderr) =>
          done({ status: error ? (error.code ?? null) : 0, stdout, stderr }),
        );
      });
    const good = await run('games', '--json');
    assert.equal(good.status, 0);
    assert.equal(good.stderr, '');
    assert.ok(Array.isArray(JSON.parse(good.stdout)));
    const bad = await run('nix');
    assert.equal(bad.status, 2);
    assert.equal(bad.stdout, '');
    assert.match(bad.stderr, /no command/);
  });
});
