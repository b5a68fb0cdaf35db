import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { until } from '../../system/until.ts';
import { goOffline } from '../going-offline.ts';
import { fetchOne } from '../rest.ts';
import { noReply, online } from '../scripted-prober.ts';
import { createToken, makeRequests } from '../tokens.ts';
import { FetchRefused } from './fetch-call.ts';
import { ForumPlugin } from './forum-plugin.ts';
import { MovedClients } from './moved-clients.ts';
import { rowsOf, type ShownRow } from './shown-row.ts';
import { WordPressPlugin } from './wordpress-plugin.ts';

const ONLINE = '127.0.0.1:27015';
const ENDED = '127.0.0.2:27015';
const SILENT = '127.0.0.3:27015';
const UNPROBED = '127.0.0.4:27015';
const servers = [{ game_id: 'csgo', servers: [ONLINE, ENDED, SILENT, UNPROBED] }];
const names = ['Ann', '"Bob" ☃'];

/** The probe result of a server with two players. */
const played = {
  ...online(2),
  payload: { ...online(2).payload, playerList: names.map(name => ({ name, score: 1, time: 60 })) },
};

/**
 * Returns the row that a client shows for a server without data. The client was written for the hosted service, which
 * has the same REST API as gsq.
 */
function emptyRow(address: string, state: ShownRow['state'], message: string): ShownRow {
  return { address, state, players: undefined, playerNames: [], message };
}

describe('a client that was written for a hosted service and now uses gsq', {
  timeout: 60_000,
}, () => {
  let moved: MovedClients;
  before(async () => {
    moved = await MovedClients.start();
  });
  after(() => moved.stop());

  const look = (address: string) => () => fetchOne(moved.service.http, 'csgo', address);
  const isOnline = async (address: string) =>
    until(`${address} online`, look(address), ({ _updater }) => _updater.status === 'online');

  it('shows online, offline and unknown servers with players and player names', async () => {
    for (const address of [ONLINE, ENDED]) moved.prober.find('csgo', address, played);
    for (const [name, client] of moved.all()) {
      await client.show(servers);
      for (const address of [ONLINE, ENDED]) await isOnline(address);
      const both = (await client.show(servers)).slice(0, 2);
      assert.deepEqual(
        both,
        [ONLINE, ENDED].map(address => ({
          address,
          state: 'online',
          players: 2,
          playerNames: names,
          message: '',
        })),
        name,
      );
    }
    moved.prober.find('csgo', ENDED, noReply);
    moved.prober.find('csgo', SILENT, noReply);
    await goOffline(moved.clock, look(ENDED));
    await goOffline(moved.clock, look(SILENT));
    await isOnline(ONLINE);
    const { message: silent = '' } = await look(SILENT)();
    const { message: unprobed = '' } = await look(UNPROBED)();
    assert.ok(silent !== '' && unprobed !== '');
    for (const [name, client] of moved.all()) {
      assert.deepEqual(
        await client.show(servers),
        [
          { address: ONLINE, state: 'online', players: 2, playerNames: names, message: '' },
          { address: ENDED, state: 'offline', players: 2, playerNames: names, message: '' },
          emptyRow(SILENT, 'offline', silent),
          emptyRow(UNPROBED, 'unknown', unprobed),
        ],
        name,
      );
    }
  });

  it('shows a server as unknown if its game or address is not valid', async () => {
    const wrong = [
      { game_id: 'nosuchgame', servers: ['127.0.0.5:27015'] },
      { game_id: 'csgo', servers: ['127.0.0.5'] },
    ];
    for (const [name, client] of moved.all()) {
      const rows = await client.show(wrong);
      assert.deepEqual(
        rows.map(({ address, state, message }) => [address, state, message !== '']),
        [
          ['127.0.0.5:27015', 'unknown', true],
          ['127.0.0.5', 'unknown', true],
        ],
        name,
      );
    }
  });

  it('shows no server as online if its data is older than 600 s', async () => {
    moved.prober.find('csgo', ONLINE, played);
    await moved.bot().show(servers);
    await isOnline(ONLINE);
    moved.prober.findings.clear();
    moved.clock.advance(601);
    for (const [name, client] of moved.all()) {
      const [first] = await client.show(servers);
      assert.deepEqual([first?.state, first?.players], ['unknown', 2], name);
    }
  });

  it('can send the token e-mail in any letter case, but no other e-mail', async () => {
    const { token, tier, email } = moved.token;
    for (const [name, client] of moved.all({ token, tier, email: email.toUpperCase() })) {
      assert.equal((await client.show(servers)).length, 4, name);
    }
    for (const [name, client] of moved.all({ token, tier, email: 'other@example.com' })) {
      await assert.rejects(client.show(servers), { status: 401, code: 'AUTH_3' }, name);
    }
  });

  it('reports how many requests are used and allowed when its daily quota is used up', async () => {
    const spent = await createToken(moved.service.internal);
    await makeRequests(moved.service.internal, spent, FREE_DAY_QUOTA);
    for (const [name, client] of moved.all(spent)) {
      const refused = {
        status: 429,
        code: 'QUOTA_1',
        message: `${FREE_DAY_QUOTA} of ${FREE_DAY_QUOTA} requests are used`,
      };
      await assert.rejects(client.show(servers), refused, name);
    }
  });

  it('would show a wrong address and state if gsq sent the fields `server` and `online`, which gsq leaves out', () => {
    const payload = {
      online: false,
      server: 'other',
      _updater: { status: 'online' },
      updated: '2026-01-02 03:04:00',
    };
    const [row] = rowsOf({ [ONLINE]: payload });
    assert.deepEqual([row?.address, row?.state], ['other', 'unknown']);
  });
});

describe('the WordPress plugin', { timeout: 60_000 }, () => {
  let moved: MovedClients;
  before(async () => {
    moved = await MovedClients.start({ GSQ_ALLOW_TARGETS: '' });
  });
  after(() => moved.stop());

  it('refuses 127.0.0.1 and localhost as the API address, but accepts a host name', () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const make = () => new WordPressPlugin(`http://${host}:8080`, moved.options());
      assert.throws(make, { message: `${host} is not allowed as the API address` });
    }
    assert.ok(moved.wordPress());
  });

  it('sends a test request to gsq to check its settings, and accepts the settings only after HTTP status 200', async () => {
    await moved.wordPress().checkSettings();
    const { _updater } = await fetchOne(moved.service.http, 'csgo', '127.0.0.1:27015');
    assert.equal(_updater.status, 'invalid');
    const wrong = { ...moved.token, token: 'a-token-that-does-not-exist' };
    await assert.rejects(moved.wordPress(wrong).checkSettings(), { status: 401, code: 'AUTH_3' });
  });
});

describe('plugins and bots of a hosted service that now use gsq', { timeout: 60_000 }, () => {
  let moved: MovedClients;
  before(async () => {
    moved = await MovedClients.start();
  });
  after(() => moved.stop());

  it('the forum plugin works if its hard-coded API host points to gsq', async () => {
    assert.equal((await new ForumPlugin(moved.options()).show(servers)).length, 4);
    const { ca: _, ...distrustful } = moved.options();
    await assert.rejects(new ForumPlugin(distrustful).show(servers), {
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it('the Discord bot works if its base address has no `/v1`, and otherwise gets ROUTE_1 (unknown path)', async () => {
    assert.equal((await moved.bot().show(servers)).length, 4);
    const refused = moved.bot(moved.token, '/v1').show(servers);
    await assert.rejects(refused, (error: unknown) => {
      assert.ok(error instanceof FetchRefused);
      assert.deepEqual([error.status, error.code], [404, 'ROUTE_1']);
      return true;
    });
  });
});
