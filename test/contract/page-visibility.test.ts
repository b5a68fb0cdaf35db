import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, ask } from '../gateway/ask.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { gsq } from '../system/password-servers.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { credentialHeaders, fetchOne, type RestServer } from './rest.ts';

const BROWSER = { Accept: 'text/html' };
const WITH_TOKEN = credentialHeaders(bootstrap);

describe('tracked servers with GSQ_PAGE_SERVERS=listed', () => {
  let stack: Stack;
  let shown: A2sServer;
  let hidden: A2sServer;
  before(async () => {
    stack = await Stack.start({
      processes: ['core', 'gateway', 'prober'],
      env: { GSQ_PAGE: 'on', GSQ_PAGE_SERVERS: 'listed', GSQ_PAGE_PLAYERS: 'off' },
    });
    [shown, hidden] = await Promise.all([A2sServer.start(), A2sServer.start()]);
    for (const { address } of [shown, hidden]) {
      await until(
        `${address} is online`,
        () => fetchOne(stack.http, 'csgo', address),
        ({ _updater }: RestServer) => _updater.status === 'online',
      );
    }
    await gsq(stack.internal, 'servers', 'list-publicly', 'csgo', shown.address);
  });
  after(async () => {
    for (const game of [shown, hidden]) game?.stop();
    await stack?.stop();
  });

  const get = (path: string, headers = {}): Promise<Answer> => ask(stack.http, { path, headers });
  const total = async (headers = {}): Promise<unknown> => (await get('/v1/servers', headers)).json.total_size;

  it('appear in searches and summaries of callers without a token only if they are listed publicly', async () => {
    const { json } = await get('/v1/servers?game=csgo');
    assert.deepEqual(
      (json.servers as { server: string }[]).map(({ server }) => server),
      [shown.address],
    );
    assert.equal(json.total_size, 1);
    assert.equal((await get('/v1/summary')).json.servers, 1);
    assert.equal(await total(WITH_TOKEN), 2);
  });

  it('are answered with 404 on each path if they are not listed publicly and the caller has no token', async () => {
    const paths = (address: string): string[] => {
      const name = `csgo/${encodeURIComponent(address)}`;
      return [
        ...['', '/history', '/uptime', '/incidents', '/incidents.atom'].map(
          end => `/v1/servers/${name}${end}`,
        ),
        ...[
          `/server/${name}`,
          `/badge/${name}.svg`,
          `/card/${name}.svg`,
          `/card/${name}.png`,
          `/embed/${name}`,
        ],
      ];
    };
    for (const path of paths(hidden.address)) assert.equal((await get(path)).status, 404, path);
    // Waits until the service accepts a request again, because the requests of this test may have reached the rate
    // limit of its IP address.
    await until(
      'the limit of a second is free',
      () => get(paths(shown.address)[0] ?? ''),
      ({ status }) => status === 200,
    );
    for (const path of paths(shown.address)) {
      const { status } = await until(
        path,
        () => get(path),
        ({ status }) => status !== 429,
      );
      assert.equal(status, 200, path);
    }
    assert.equal((await get(paths(hidden.address)[0] ?? '', WITH_TOKEN)).status, 200);
  });

  it('appear on the web page of all servers only if they are listed publicly', async () => {
    const { text } = await until(
      'the page',
      () => get('/', BROWSER),
      ({ status }) => status === 200,
    );
    assert.ok(
      text.includes(encodeURIComponent(shown.address)) && !text.includes(encodeURIComponent(hidden.address)),
    );
  });

  it('have `tracked: false` in events for callers without a token if they are not listed publicly', async () => {
    const query = [shown, hidden].map(({ address }) => `server=csgo/${address}`).join('&');
    const events = await fetch(`http://${stack.http}/v1/events?${query}`, {
      headers: { Accept: 'application/x-ndjson' },
    });
    const reader = events.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const { data } = JSON.parse(Buffer.from(value ?? []).toString());
    await reader?.cancel();
    const names = data.servers.map((server: { server: string; tracked?: boolean }) => [
      server.server,
      server.tracked,
    ]);
    assert.deepEqual(names, [
      [shown.address, undefined],
      [hidden.address, false],
    ]);
  });

  it('show the names of their players only to callers with a token if GSQ_PAGE_PLAYERS=off', async () => {
    const name = `csgo/${encodeURIComponent(shown.address)}`;
    const paths = [`/v1/servers/${name}`, '/v1/servers', `/server/${name}`];
    for (const path of paths) {
      const { text, json } = await until(
        path,
        () => get(path, BROWSER),
        ({ status }) => status === 200,
      );
      assert.ok(text.includes(shown.address), path);
      assert.doesNotMatch(text, /\bAnn\b/, path);
      if (path === paths[0]) assert.deepEqual([json.players, (json.raw as { players: [] }).players], [2, []]);
    }
    const { text, headers } = await get(paths[0] ?? '', WITH_TOKEN);
    assert.match(text, /\bAnn\b/);
    assert.match(String(headers['cache-control']), /^private/);
    assert.match(String(headers.vary), /\bX-API-Token\b/);
  });

  it('are hidden again after the command `gsq servers list-publicly --off`, also in open event streams', async () => {
    assert.equal(
      await until(
        'free',
        () => total(),
        found => found !== undefined,
      ),
      1,
    );
    const events = await until(
      'an event stream',
      () =>
        fetch(`http://${stack.http}/v1/events?game=csgo`, {
          headers: { Accept: 'application/x-ndjson' },
          signal: AbortSignal.timeout(60_000),
        }),
      ({ ok }) => ok,
    );
    const said = await gsq(
      stack.internal,
      'servers',
      'list-publicly',
      'csgo',
      shown.address,
      '--off',
      '--json',
    );
    assert.match(JSON.stringify(said), /tracked/);
    assert.equal(
      await until(
        'hidden',
        () => total(),
        found => found === 0,
      ),
      0,
    );
    assert.equal(await total(WITH_TOKEN), 2);
    const gone = `"server":"${shown.address}","tracked":false`;
    let lines = '';
    for await (const bytes of events.body ?? []) {
      lines += Buffer.from(bytes).toString();
      if (lines.includes(gone)) break;
    }
    assert.ok(lines.includes(gone), lines);
  });
});
