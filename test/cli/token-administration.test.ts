import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isWholeSecret } from '../../proto/token-secret.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { gsq } from './gsq-command.ts';

const DAY = 86_400_000;

describe('gsq token with a running core', () => {
  let core: ServiceProcess;
  let env: Record<string, string> = {};
  /**
   * All secrets that the tests created. The tests check that the output of the commands and the logs contain none of
   * them.
   */
  const secrets: string[] = [];

  before(async () => {
    core = await ServiceProcess.start('core', {
      GSQ_GRPC_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_ADDR: '127.0.0.1:0',
      GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
      GSQ_LOG_LEVEL: 'trace',
    });
    // The settings of the gsq commands contain no internal secret. Each command reads this secret from the data
    // directory of the core.
    env = {
      GSQ_INTERNAL_ADDR: core.address('GSQ_INTERNAL_ADDR'),
      GSQ_DATA_DIR: join(core.child.home, 'data'),
    };
  });
  after(() => core.child.stop());

  interface Shown {
    id: string;
    type: string;
    used: number;
    quota: number | null;
    last_used_at: string | null;
    previous_secret_until: string | null;
    allow_ips: string[];
    allow_domains: string[];
  }

  async function create(...args: string[]): Promise<Shown> {
    const { status, out, talk } = await gsq(
      env,
      'token',
      'create',
      '--email',
      'a@b.example',
      '--json',
      ...args,
    );
    assert.equal(status, 0, talk);
    const made = JSON.parse(out) as { secret: string; token: Shown };
    assert.ok(isWholeSecret(made.secret));
    secrets.push(made.secret);
    return made.token;
  }

  async function rotate(id: string, ...args: string[]): Promise<Shown> {
    const { status, out, talk } = await gsq(env, 'token', 'rotate', id, '--json', ...args);
    assert.equal(status, 0, talk);
    const { secret, token } = JSON.parse(out) as { secret: string; token: Shown };
    assert.ok(isWholeSecret(secret) && !secrets.includes(secret));
    secrets.push(secret);
    return token;
  }

  const left = ({ previous_secret_until: until }: Shown): number => Date.parse(until ?? '') - Date.now();
  const about = (ms: number, expected: number): void =>
    assert.ok(Math.abs(ms - expected) < 60_000, `${ms} instead of ${expected}`);

  test('`rotate` prints only the new secret to stdout, and prints to stderr how long the old secret stays valid', async () => {
    const { id } = await create();
    const { status, out, talk } = await gsq(env, 'token', 'rotate', id);
    assert.equal(status, 0, talk);
    assert.ok(isWholeSecret(out.trimEnd()), out);
    secrets.push(out.trimEnd());
    assert.match(talk, new RegExp(`token ${id} stays valid until \\d{4}-`));
    const none = await gsq(env, 'token', 'rotate', id, '--grace', '0');
    secrets.push(none.out.trimEnd());
    assert.match(none.talk, /is no longer valid/);
  });

  test('`rotate --grace` sets how long the old secret stays valid: 0 to 365 days, by default 7 days', async () => {
    const { id, previous_secret_until: before } = await create();
    assert.equal(before, null);
    about(left(await rotate(id)), 7 * DAY);
    about(left(await rotate(id, '--grace', '90m')), 90 * 60_000);
    about(left(await rotate(id, '--grace=365d')), 365 * DAY);
    assert.equal((await rotate(id, '--grace', '0')).previous_secret_until, null);
    const tooLong = await gsq(env, 'token', 'rotate', id, '--grace', '366d');
    assert.deepEqual([tooLong.status, tooLong.out], [2, '']);
    assert.match(tooLong.talk, /0 to 365 days/);
  });

  test('`allow` with --ip or --domain replaces only that allow-list, and `allow --none` clears both allow-lists', async () => {
    const { id } = await create('--allow-ip', '192.0.2.1', '--allow-domain', 'example.com');
    const lists = async (...args: string[]) => {
      const { status, out, talk } = await gsq(env, 'token', 'allow', id, '--json', ...args);
      assert.equal(status, 0, talk);
      const token = JSON.parse(out) as Shown;
      return [token.allow_ips, token.allow_domains];
    };
    assert.deepEqual(await lists('--ip', '::1', '--ip', '10.0.0.0/8'), [
      ['::1', '10.0.0.0/8'],
      ['example.com'],
    ]);
    assert.deepEqual(await lists('--domain', 'example.org'), [['::1', '10.0.0.0/8'], ['example.org']]);
    assert.deepEqual(await lists('--none'), [[], []]);
    const human = await gsq(env, 'token', 'allow', id, '--ip', '192.0.2.9');
    assert.deepEqual([human.status, human.out], [0, '']);
    assert.match(human.talk, /can be used from: 192\.0\.2\.9$/m);
    assert.equal((await gsq(env, 'token', 'allow', id, '--ip', 'nowhere')).status, 2);
  });

  test('`expire` changes the expiry time of a token, but is refused for a revoked token', async () => {
    const { id } = await create('--expires-in', '1d');
    const ends = async (...args: string[]) => {
      const { status, out, talk } = await gsq(env, 'token', 'expire', id, '--json', ...args);
      assert.equal(status, 0, talk);
      return (JSON.parse(out) as { expires_at: string | null }).expires_at;
    };
    about(Date.parse((await ends('--in', '30d')) ?? '') - Date.now(), 30 * DAY);
    assert.equal(await ends('--never'), null);
    const human = await gsq(env, 'token', 'expire', id, '--in', '12h');
    assert.deepEqual([human.status, human.out], [0, '']);
    assert.match(human.talk, new RegExp(`^Token ${id} expires: \\d{4}-`));
    for (const misuse of [[], ['--in', '1d', '--never'], ['--in', 'soon'], ['--in', '99999d']]) {
      assert.equal((await gsq(env, 'token', 'expire', id, ...misuse)).status, 2, misuse.join(' '));
    }
    await gsq(env, 'token', 'revoke', id);
    assert.equal((await gsq(env, 'token', 'expire', id, '--never')).status, 2);
  });

  test('`usage` prints the number of used requests, the quota and the time of the last use', async () => {
    const free = await create();
    const human = await gsq(env, 'token', 'usage', free.id);
    assert.equal(human.status, 0, human.talk);
    assert.match(human.out, /^used +0 of 1440 in the last 24 hours$/m);
    assert.match(human.out, /^last used +never$/m);
    const json = JSON.parse((await gsq(env, 'token', 'usage', free.id, '--json')).out) as Shown;
    assert.deepEqual([json.id, json.used, json.quota, json.last_used_at], [free.id, 0, 1440, null]);
    const pro = await create('--type', 'PRO');
    assert.equal(pro.quota, null);
    assert.match((await gsq(env, 'token', 'usage', pro.id)).out, /^used +0 in the last 24 hours$/m);
  });

  test('exits with 1 for an unknown token id, and does not print a secret that was passed as the id', async () => {
    const [secret = ''] = secrets;
    for (const command of [['usage'], ['rotate'], ['revoke'], ['allow', '--none'], ['expire', '--never']]) {
      for (const id of ['tok_none', secret]) {
        const { status, out, talk } = await gsq(env, 'token', ...command, id);
        assert.deepEqual([status, out], [1, ''], talk);
        assert.ok(!talk.includes(secret), 'the secret is not repeated');
      }
    }
  });

  test('shows no secret in the token list, in the token usage or in the log of the core', async () => {
    const list = await gsq(env, 'token', 'list', '--json');
    const ids = (JSON.parse(list.out) as Shown[]).map(({ id }) => id);
    const usages = await Promise.all(ids.map(id => gsq(env, 'token', 'usage', id, '--json')));
    const told = [list, await gsq(env, 'token', 'list'), ...usages]
      .map(({ out, talk }) => out + talk)
      .join('');
    assert.ok(secrets.length >= 10 && ids.length >= 5);
    for (const secret of secrets) assert.ok(!told.includes(secret) && !core.child.output.includes(secret));
    assert.match(core.child.output, /ready/, 'there is a log to look at');
  });
});
