import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { GameApi, palworld, tshock } from './game-apis.ts';
import {
  debugSettings,
  fetchServers,
  fileWith,
  gsq,
  PASSWORD,
  probesEnded,
  statusOf,
  TOKEN,
  untilOnline,
} from './password-servers.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { Stack } from './stack.ts';
import { keepSecret } from './transcript.ts';
import { until } from './until.ts';

/*
 * Tests credentials of game servers with real gsq processes. A `gsq` command stores them, and the prober uses them.
 * scripts/secret-leaks.ts then searches the debug logs of all processes for these secrets.
 */

describe('game servers that require a password', () => {
  let stack: Stack;
  let pal: GameApi;
  let terraria: GameApi;
  const run = (...args: string[]) => gsq(stack.internal, ...args);

  before(async () => {
    [pal, terraria] = await Promise.all([GameApi.start(palworld(PASSWORD)), GameApi.start(tshock(TOKEN))]);
    stack = await Stack.start({ env: debugSettings(scratchDirectory()) });
  });
  after(async () => {
    await stack.stop();
    pal.stop();
    terraria.stop();
  });

  test('have the status `pending` until gsq has their password, and Palworld servers get no requests during this time', async () => {
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

  test('are online after an operator has set their password, and no gsq command shows the password', async () => {
    const [password, token] = [fileWith(PASSWORD), fileWith(TOKEN)];
    const added = await run('servers', 'add', 'palworld', pal.address, '--secret-file', password);
    assert.equal(added.status, 0, added.talk);
    await run('servers', 'add', 'terrariatshock', terraria.address, '--secret-file', token);
    await untilOnline(stack, 'palworld', pal.address);
    await untilOnline(stack, 'terrariatshock', terraria.address);
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

  test('get the probe outcome needs_credentials for a wrong stored password, and are probed again after its correction', async () => {
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

  test('lose their stored password when an operator removes them from gsq', async () => {
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
