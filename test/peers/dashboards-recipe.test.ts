/**
 * Runs the commands of docs/recipes/show-elsewhere.md against a demo of gsq, and checks the Prometheus configuration on
 * that page. A fake server replaces the panel of Pterodactyl.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Launched } from '../system/launched.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { blocksOf, sectionOf } from './samples.ts';
import { send } from './transcoder.ts';

const PAGE = 'docs/recipes/show-elsewhere.md';
const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * An answer of `GET /api/application/servers?include=allocations` with a Minecraft server and a server of another game.
 */
const PANEL_ANSWER = {
  object: 'list',
  data: [
    { egg: 3, allocation: 2, ports: [25_570, 25_571] },
    { egg: 9, allocation: 4, ports: [27_015, 27_016] },
  ].map(({ egg, allocation, ports }, i) => ({
    object: 'server',
    attributes: {
      ...{ id: i + 1, name: `Server ${i + 1}`, egg, allocation },
      relationships: {
        allocations: {
          object: 'list',
          data: ports.map((port, j) => ({
            object: 'allocation',
            attributes: { id: 2 * i + j + 1, ip: '127.0.0.1', alias: null, port, assigned: true },
          })),
        },
      },
    },
  })),
};

describe('the commands in docs/recipes/show-elsewhere.md', () => {
  const directory = scratchDirectory();
  let demo: Launched;
  let panel: Server;
  let http = '';
  let server = '';
  before(async () => {
    demo = await Launched.start({}, ['--demo']);
    http = demo.addresses.GSQ_HTTP_ADDR ?? '';
    const path = '/v1/servers?q=demo+survival&game=minecraft&status=online';
    const { body } = await until(
      'the server of the recipe online',
      () => send(http, { path }),
      answer => answer.status === 200 && JSON.parse(answer.body).total_size === 1,
    );
    server = JSON.parse(body).servers[0].server;
    panel = createServer((request, response) => {
      const isAllowed = request.headers.authorization === 'Bearer ptla_test';
      response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify(isAllowed ? PANEL_ANSWER : {}));
    });
    await new Promise<void>(listening => panel.listen(0, '127.0.0.1', listening));
  });
  after(async () => {
    panel?.close();
    assert.equal(await demo.launcher.stop(), 0, demo.launcher.report);
  });

  /** Runs the shell blocks under a heading of docs/recipes/show-elsewhere.md. Resolves to the lines of their output. */
  async function linesOf(heading: string, env: Record<string, string> = {}): Promise<string[]> {
    const escaped = server.replace(':', '%3A');
    const script = blocksOf(sectionOf(PAGE, heading), 'sh')
      .join('')
      .replaceAll('127.0.0.1:8080', http)
      .replaceAll('127.0.8.1%3A25665', escaped)
      .replaceAll('npx gsq', `${process.execPath} ${join(root, 'cli/gsq.mjs')}`)
      .replace(/^export PANEL=.*$/m, '');
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env: { ...process.env, ...env },
    });
    return stdout.trim().split('\n');
  }

  it('print the name, the players and the status of a server for the widget of Homepage', async () => {
    const [name, players, status] = await linesOf('## Homepage');
    assert.deepEqual([name, status], ['Demo | Survival', 'online']);
    assert.match(players ?? '', /^\d+$/);
  });

  it('print one line per server in the format of the dashboard Glance, such as "Demo | Survival: 3 of 100"', async () => {
    assert.ok((await linesOf('## Glance')).some(line => /^Demo \| Survival: \d+ of 100$/.test(line)));
  });

  it('print `online`, the status that Uptime Kuma expects', async () => {
    assert.deepEqual(await linesOf('## Uptime Kuma'), ['online']);
  });

  it('write a file from which Prometheus can discover the servers', async () => {
    await linesOf('## Prometheus');
    const [config = ''] = blocksOf(sectionOf(PAGE, '## Prometheus'), 'yaml');
    writeFileSync(join(directory, 'prometheus.yml'), config);
    const { stdout } = await run(join(root, '.peers/bin/promtool'), ['check', 'config', 'prometheus.yml'], {
      cwd: directory,
    });
    assert.match(stdout, /SUCCESS/);
    const targets = JSON.parse(readFileSync(join(directory, 'servers.json'), 'utf8')) as {
      targets: string[];
    }[];
    assert.ok(targets.some(({ targets: [address] }) => address === server));
  });

  it('import the Minecraft servers from a Pterodactyl panel', async () => {
    const { port } = panel.address() as AddressInfo;
    await linesOf('## Pterodactyl', {
      PANEL: `http://127.0.0.1:${port}`,
      PANEL_KEY: 'ptla_test',
      GSQ_INTERNAL_ADDR: demo.addresses.GSQ_INTERNAL_ADDR ?? '',
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
    });
    assert.equal(
      readFileSync(join(directory, 'servers.csv'), 'utf8'),
      'game_id,address\nminecraft,127.0.0.1:25571\n',
    );
    const { status } = await send(http, { path: '/v1/servers/minecraft/127.0.0.1%3A25571' });
    assert.equal(status, 200);
  });
});
