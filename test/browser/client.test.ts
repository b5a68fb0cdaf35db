import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Fleet, startFleet } from '../../cli/demo/fleet.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { WatchedBrowser } from './watched-browser.ts';

const root = resolve(import.meta.dirname, '../..');
/** HTML of a test page on a site that is not gsq. The page imports the REST client from its npm package. */
const PAGE = `<!doctype html><title>Mine</title><link rel="icon" href="data:,"><p>…</p><script type="module">
import { RestClient } from '/rest-client.js';
const { baseUrl, credentials, server } = Object.fromEntries(
  [...new URLSearchParams(location.search)].map(([name, value]) => [name, JSON.parse(value)]),
);
const client = new RestClient({ baseUrl, credentials });
const show = text => { document.querySelector('p').textContent = text; };
await client.fetch([{ game_id: 'counterstrike2', servers: [server] }], { waitSeconds: 5 });
for await (const event of client.watch({ servers: [{ game_id: 'counterstrike2', server }] })) {
  const shown = event.type === 'snapshot' ? event.servers[0] : event.server;
  show(shown.name + ': ' + shown.players);
}
</script>`;

/**
 * Starts the web server of a site that is not gsq. It serves the test page, and the files of the client's npm package
 * in the directory `dist`.
 */
async function servePage(dist: string): Promise<Server> {
  const site = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://x').pathname.slice(1);
    response.setHeader('Content-Type', name === '' ? 'text/html; charset=utf-8' : 'text/javascript');
    response.end(name === '' ? PAGE : readFileSync(join(dist, name)));
  });
  await new Promise<void>(listening => site.listen(0, '127.0.0.1', listening));
  return site;
}

describe('the npm package of the REST client on a web page of another site', () => {
  let stack: Stack;
  let fleet: Fleet;
  let site: Server;
  let browser: WatchedBrowser;
  before(async () => {
    const dist = scratchDirectory();
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(root, 'client'), '--outDir', dist]);
    site = await servePage(dist);
    const { port } = site.address() as AddressInfo;
    stack = await Stack.start({ env: { GSQ_CORS_ORIGINS: `http://127.0.0.1:${port}` } });
    const plan = {
      gameId: 'counterstrike2',
      protocol: 'a2s',
      name: 'Mine',
      map: 'de_dust2',
      version: '1',
    } as const;
    fleet = await startFleet({
      plan: [{ ...plan, maxplayers: 20, players: 7, port: 0 }],
      now: Date.now,
      random: () => 0.5,
    });
    browser = await WatchedBrowser.launch(`http://127.0.0.1:${port}`, [`http://${stack.http}`]);
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await stack?.stop();
    await fleet?.stop();
  });

  it('fetches the status of a game server, and receives each change of it', async () => {
    const [server] = fleet.servers;
    const { token, tier, email } = bootstrap;
    const query = new URLSearchParams({
      baseUrl: JSON.stringify(`http://${stack.http}`),
      credentials: JSON.stringify({ token, tier, email }),
      server: JSON.stringify(server?.address),
    });
    const page = await browser.open(`/?${query}`);
    await page.getByText('Mine: 7').waitFor();
    server?.setPlayers(3);
    await page.getByText('Mine: 3').waitFor();
    assert.deepEqual(browser.faults, []);
    await page.context().close();
  });
});
