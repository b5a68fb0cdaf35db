import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GameApi, palworld, tshock } from './game-apis.ts';
import { debugSettings, fileWith, gsq, PASSWORD, TOKEN, USERNAME, untilOnline } from './password-servers.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { Stack } from './stack.ts';
import { stackDefaults } from './stack-settings.ts';
import { until } from './until.ts';

/*
 * Backs up and restores the data of real gsq processes. The restored data must contain the credentials of game servers.
 * scripts/secret-leaks.ts searches the debug logs of all processes for the secrets of this test.
 */

const home = scratchDirectory();
const data = join(home, 'data');

describe('game servers that require a password', () => {
  let stack: Stack;
  let pal: GameApi;
  let terraria: GameApi;
  const run = (...args: string[]) => gsq(stack.internal, ...args);

  before(async () => {
    [pal, terraria] = await Promise.all([GameApi.start(palworld(PASSWORD)), GameApi.start(tshock(TOKEN))]);
    mkdirSync(data);
    stack = await Stack.start({ env: debugSettings(data) });
    await run('servers', 'add', 'palworld', pal.address, '--secret-file', fileWith(PASSWORD));
    const port = `query_port=${terraria.port}`;
    const token = fileWith(TOKEN);
    await run('servers', 'add', 'terrariatshock', terraria.address, '--option', port, '--secret-file', token);
  });
  after(async () => {
    await stack.stop();
    pal.stop();
    terraria.stop();
  });

  test('keep their password after a restore from a backup without plain-text secrets', async () => {
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
    assert.match(talk, /copy the file credentials\.key of the original data directory to \S+restored/);
    const settings = { ...stackDefaults, ...debugSettings(restored) };
    await assert.rejects(ServiceProcess.start('core', settings), /credentials\.key is missing/);
    const examined = await run('doctor', '--offline', '--data-dir', restored);
    assert.equal(examined.status, 1);
    assert.match(examined.out, /WRONG +keys +.*credentials\.key is missing/);
    const whole = await run('doctor', '--offline', '--data-dir', data);
    assert.match(whole.out, /ok +keys +valid, and accessible only to their owner/);
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
    stack = await Stack.start({ env: debugSettings(restored) });
    await until(
      'the restored core to have it asked',
      () => pal.requests.length,
      count => count > asked,
    );
    await untilOnline(stack, 'palworld', pal.address);
    await untilOnline(stack, 'terrariatshock', terraria.address);
  });
});
