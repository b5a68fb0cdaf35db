import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runGsq } from '../../cli/dispatch.ts';
import { GameApi, palworld, tshock } from './game-apis.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess, Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET, stackDefaults } from './stack-settings.ts';
import { hearTold, keepSecret } from './transcript.ts';
import { until } from './until.ts';

/*
 * Tests the credentials of game servers with real processes. A command stores credentials in the core, the prober sends
 * them to the game server, and backup and restore keep them. scripts/secret-leaks.ts searches the debug logs of all
 * processes for the secrets of this file.
 */

const home = scratchDirectory();
const data = join(home, 'data');
/** Random secrets, which occur in no other text. Some contain characters that URLs must encode. */
const PASSWORD = `pal's +world/${randomBytes(12).toString('base64url')}?&`;
const TOKEN = `tshock ${randomBytes(12).toString('hex')}`;
const USERNAME = `monitor-${randomBytes(8).toString('hex')}`;
/** A Palworld server receives user name and password in base64. The leak search finds secrets in base64 too. */
for (const secret of [PASSWORD, TOKEN, `admin:${PASSWORD}`]) keepSecret(secret);

function fileWith(secret: string): string {
  const path = join(scratchDirectory(), 'secret');
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  return path;
}

interface Fetched {
  name?: string;
  players?: number;
  _updater: { status: string };
}

async function fetchServers(
  stack: Stack,
  gameId: string,
  servers: string[],
): Promise<Record<string, Fetched>> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: gameId, servers }] }),
  });
  const text = await response.text();
  hearTold('answers to fetches of servers with secrets', text);
  return JSON.parse(text) as Record<string, Fetched>;
}

async function statusOf(stack: Stack, gameId: string, server: string): Promise<string> {
  return (await fetchServers(stack, gameId, [server]))[server]?._updater.status ?? '';
}

/** Returns the number of probes with this outcome, from the metrics of the prober. */
async function probesEnded(stack: Stack, outcome: string): Promise<number> {
  const address = stack.process('prober').address('GSQ_PROBER_OPS_ADDR');
  const text = await (await fetch(`http://${address}/metrics`)).text();
  const pattern = new RegExp(`^gsq_probes_total\\{[^}]*outcome="${outcome}"\\} (\\d+)$`, 'gm');
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function gsq(internal: string, ...args: string[]) {
  let out = '';
  let talk = '';
  const status = await runGsq(args, {
    env: { PATH: process.env.PATH, GSQ_INTERNAL_ADDR: internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET },
    out: text => {
      out += text;
    },
    talk: line => {
      talk += `${line}\n`;
    },
  });
  hearTold('commands about servers with secrets', out + talk);
  return { status, out, talk };
}

describe('game servers that require a password', () => {
  let stack: Stack;
  let pal: GameApi;
  let terraria: GameApi;
  const env = (directory: string) => ({ GSQ_DATA_DIR: directory, GSQ_LOG_LEVEL: 'debug' });
  const run = (...args: string[]) => gsq(stack.internal, ...args);

  before(async () => {
    [pal, terraria] = await Promise.all([GameApi.start(palworld(PASSWORD)), GameApi.start(tshock(TOKEN))]);
    mkdirSync(data);
    stack = await Stack.start({ env: env(data) });
  });
  after(async () => {
    await stack.stop();
    pal.stop();
    terraria.stop();
  });

  const isOnline = (gameId: string, server: string) =>
    until(
      `${server} to be online`,
      () => statusOf(stack, gameId, server),
      status => status === 'online',
    );

  test('stay pending without the password, and a Palworld server receives no request', async () => {
    await run('servers', 'add', 'palworld', pal.address);
    await until(
      'a probe without the password',
      () => probesEnded(stack, 'needs_credentials'),
      count => count > 0,
    );
    assert.equal(await statusOf(stack, 'palworld', pal.address), 'pending');
    assert.deepEqual(pal.requests, []);
    const before = await probesEnded(stack, 'needs_credentials');
    await run(
      'servers',
      'add',
      'terrariatshock',
      terraria.address,
      '--option',
      `query_port=${terraria.port}`,
    );
    await until(
      'a probe that TShock refused',
      async () => [terraria.requests.length, await probesEnded(stack, 'needs_credentials')] as const,
      ([requests, count]) => requests > 0 && count > before,
    );
    assert.equal(await statusOf(stack, 'terrariatshock', terraria.address), 'pending');
  });

  test('are online after an operator has set the password, and no command shows the password', async () => {
    const [password, token] = [fileWith(PASSWORD), fileWith(TOKEN)];
    const added = await run('servers', 'add', 'palworld', pal.address, '--secret-file', password);
    assert.equal(added.status, 0, added.talk);
    await run('servers', 'add', 'terrariatshock', terraria.address, '--secret-file', token);
    await isOnline('palworld', pal.address);
    await isOnline('terrariatshock', terraria.address);
    const { [pal.address]: shown } = await fetchServers(stack, 'palworld', [pal.address]);
    assert.deepEqual([shown?.name, shown?.players], ['Pal Island', 1]);
    const listed = await run('servers', 'list', '--json');
    const access = (JSON.parse(listed.out) as { game_id: string; secret: boolean; options: string[] }[]).map(
      ({ game_id, secret, options }) => [game_id, secret, options],
    );
    assert.deepEqual(access, [
      ['palworld', true, []],
      ['terrariatshock', true, ['query_port']],
    ]);
    const stats = await run('stats', '--json');
    for (const secret of [PASSWORD, TOKEN]) assert.ok(!`${listed.out}${stats.out}`.includes(secret));
  });

  test('get the outcome needs_credentials with a wrong password, and are probed with the corrected password', async () => {
    const before = await probesEnded(stack, 'needs_credentials');
    const wrong = `wrong-${randomBytes(12).toString('hex')}`;
    keepSecret(wrong);
    await run('servers', 'add', 'palworld', pal.address, '--secret-file', fileWith(wrong));
    await until(
      'a probe with the wrong password',
      () => probesEnded(stack, 'needs_credentials'),
      count => count > before,
    );
    await run('servers', 'add', 'palworld', pal.address, '--secret-file', fileWith(PASSWORD));
    const requests = pal.requests.length;
    await until(
      'a probe with the right one',
      () => pal.requests.length,
      count => count > requests,
    );
  });

  test('keep the password through backup and restore, and the backup contains neither password nor key', async () => {
    const file = join(home, 'backup.ndjson');
    await run('servers', 'add', 'palworld', pal.address, '--option', `username=${USERNAME}`);
    await run('servers', 'add', 'palworld', pal.address, '--option', 'username=');
    const made = await run('backup', file, '--json');
    assert.equal(made.status, 0, made.talk);
    assert.equal((JSON.parse(made.out) as { credentials: number }).credentials, 2);
    const text = readFileSync(file, 'utf8');
    const key = readFileSync(join(data, 'credentials.key'));
    assert.equal(statSync(join(data, 'credentials.key')).mode & 0o777, 0o600);
    for (const secret of [
      PASSWORD,
      TOKEN,
      USERNAME,
      key.toString('base64'),
      key.subarray(0, 32).toString('base64'),
    ])
      assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('base64')));
    for (const name of readdirSync(join(data, 'leveldb'))) {
      const bytes = readFileSync(join(data, 'leveldb', name));
      for (const secret of [PASSWORD, TOKEN, USERNAME]) assert.ok(!bytes.includes(secret), name);
    }
    await stack.stop();
    const restored = join(home, 'restored');
    const { status, talk } = await run('restore', file, '--data-dir', restored);
    assert.equal(status, 0, talk);
    assert.match(talk, /put the credentials\.key of the directory that was backed up into \S+restored/);
    const settings = { ...stackDefaults, ...env(restored) };
    await assert.rejects(ServiceProcess.start('core', settings), /credentials\.key is gone/);
    const examined = await run('doctor', '--offline', '--data-dir', restored);
    assert.equal(examined.status, 1);
    assert.match(examined.out, /WRONG +credentials\.key +.*credentials\.key is gone/);
    const whole = await run('doctor', '--offline', '--data-dir', data);
    assert.match(whole.out, /ok +credentials\.key +whole, its owner’s alone, and of 2 servers/);
    const without = await run(
      'restore',
      file,
      '--no-credentials',
      '--json',
      '--data-dir',
      join(home, 'without'),
    );
    assert.equal((JSON.parse(without.out) as { credentials: number }).credentials, 0);
    cpSync(join(data, 'credentials.key'), join(restored, 'credentials.key'));
    const asked = pal.requests.length;
    stack = await Stack.start({ env: env(restored) });
    await until(
      'the restored core to have it asked',
      () => pal.requests.length,
      count => count > asked,
    );
    await isOnline('palworld', pal.address);
    await isOnline('terrariatshock', terraria.address);
  });

  test('lose the password when they are removed', async () => {
    const before = await probesEnded(stack, 'needs_credentials');
    await run('servers', 'remove', 'palworld', pal.address);
    await run('servers', 'add', 'palworld', pal.address);
    await until(
      'a probe without the password',
      () => probesEnded(stack, 'needs_credentials'),
      count => count > before,
    );
    assert.notEqual(await statusOf(stack, 'palworld', pal.address), 'online');
  });
});
