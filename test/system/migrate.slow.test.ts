/**
 * Tests docs/recipes/migrate.md (from the hosted service to gsq) with real processes and real packets. The test takes
 * more than a minute, because gsq needs this time to report a server as offline.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gsq } from '../cli/gsq-command.ts';
import { DiscordBot } from '../contract/hosted-clients/discord-bot.ts';
import { ForumPlugin } from '../contract/hosted-clients/forum-plugin.ts';
import { WordPressPlugin } from '../contract/hosted-clients/wordpress-plugin.ts';
import { fetchOne } from '../contract/rest.ts';
import { A2sServer } from './a2s-server.ts';
import { Authority } from './certificates.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { Stack } from './stack.ts';
import { INTERNAL_SECRET, stackDefaults } from './stack-settings.ts';
import { until } from './until.ts';

const NAME = 'gsq.example.com';
const EMAIL = 'you@example.com';
/** If a server does not answer, gsq reports it as offline after at most this time, in milliseconds. */
const VERDICT_MS = 180_000;

const authority = new Authority(scratchDirectory());
let stack: Stack;
let plain: ServiceProcess;
let online: A2sServer;
let ended: A2sServer;
let silent: A2sServer;

before(async () => {
  const { certificate, key } = authority.issue('rest', [NAME]);
  stack = await Stack.start({ env: { GSQ_HTTP_TLS_CERT: certificate, GSQ_HTTP_TLS_KEY: key } });
  plain = await ServiceProcess.start('gateway', { ...stackDefaults, GSQ_INTERNAL_ADDR: stack.internal });
  online = await A2sServer.start();
  ended = await A2sServer.start();
  silent = await A2sServer.start({ manner: 'silent' });
});

after(async () => {
  for (const game of [online, ended, silent]) game?.stop();
  await plain?.child.stop();
  await stack?.stop();
});

test('after the move from the hosted service to gsq, each client shows the real status of a server', async () => {
  const env = { GSQ_INTERNAL_ADDR: stack.internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET };
  const made = await gsq(env, 'token', 'create', '--type', 'FREE', '--email', EMAIL);
  assert.equal(made.status, 0, made.talk);
  const credentials = { token: made.out.trim(), tier: 'FREE', email: EMAIL };
  const options = {
    ...credentials,
    routes: { [`${NAME}:443`]: stack.http },
    ca: readFileSync(authority.path),
  };
  const http = plain.address('GSQ_HTTP_ADDR');
  const wordPress = new WordPressPlugin(`https://${NAME}`, options);
  const clients = [
    wordPress,
    new ForumPlugin(options, `https://${NAME}`),
    new DiscordBot(`http://${http}`, credentials),
  ];
  await wordPress.checkSettings();

  const servers = [{ game_id: 'csgo', servers: [online.address, ended.address, silent.address] }];
  const shown = async () =>
    Promise.all(clients.map(async client => (await client.show(servers)).map(row => row.state)));
  const becomes = (game: A2sServer, status: string) =>
    until(
      `${game.address} ${status}`,
      () => fetchOne(http, 'csgo', game.address),
      ({ _updater }) => _updater.status === status,
      VERDICT_MS,
    );
  await shown();
  await becomes(online, 'online');
  await becomes(ended, 'online');
  const first = ['online', 'online', 'unknown'];
  assert.deepEqual(await shown(), [first, first, first]);
  for (const client of clients) {
    const [row] = await client.show(servers);
    assert.deepEqual([row?.players, row?.playerNames], [2, online.players.map(({ name }) => name)]);
  }

  ended.manner = 'silent';
  await becomes(ended, 'offline');
  await becomes(silent, 'offline');
  const last = ['online', 'offline', 'offline'];
  assert.deepEqual(await shown(), [last, last, last]);
  for (const client of clients) assert.equal((await client.show(servers))[1]?.players, 2);
});
