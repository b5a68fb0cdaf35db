import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { FakeDirectories, json, status } from './fake-directories.ts';
import { addressOf, PORT, questionAbout } from './game-of-directory.ts';
import { game } from './games.ts';
import { openClient, openGameClient } from './opened-client.ts';

const MINUTE_MS = 60_000;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

/**
 * Opens a client that looks up servers in the public server list of one game. A fake server on loopback provides the
 * list.
 */
const opened = (protocol: string) => openGameClient(fake, protocol);

describe('a downloaded list of online servers', () => {
  test('is downloaded again only if it has changed', async () => {
    const { clock, about, answer, ask, close, notes } = opened('minetest');
    const changed = 'Wed, 21 Oct 2015 07:28:00 GMT';
    const whole = about.answers(10);
    answer((request, response, body) => {
      const isKnown = request.headers['if-none-match'] === '"one"';
      if (isKnown && request.headers['if-modified-since'] === changed) response.writeHead(304).end();
      else {
        response.setHeader('etag', '"one"').setHeader('last-modified', changed);
        whole(request, response, body);
      }
    });
    for (let i = 0; i < 3; i++) {
      assert.equal((await ask()).kind, 'online');
      clock.now += WINDOW_MS;
    }
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['ok', 'unchanged', 'unchanged']);
    close();
  });

  test('gives `directory-unavailable` for a removed server in the first ten minutes after the list became much shorter', async () => {
    const { clock, about, answer, ask, close } = opened('ragemp');
    const kinds = async () => [(await ask({}, 0)).kind, (await ask({}, 9)).kind];
    assert.deepEqual(await kinds(), ['online', 'online']);
    answer(about.answers(2));
    for (let minutes = 0; minutes < 10; minutes++) {
      clock.now += WINDOW_MS;
      assert.deepEqual(await kinds(), ['online', 'directory-unavailable']);
    }
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['online', 'not-listed']);
    answer(about.answers(0));
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['directory-unavailable', 'directory-unavailable']);
    answer(about.answers(10));
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['online', 'online']);
    close();
  });

  test('is not used after it has expired, even if it cannot be downloaded again', async () => {
    const { clock, answer, ask, close } = opened('beammp');
    assert.equal((await ask()).kind, 'online');
    answer(status(503));
    clock.now += WINDOW_MS;
    assert.equal((await ask()).kind, 'directory-unavailable');
    close();
  });

  test('is searched by host name if gsq tracks a server by its host name', async () => {
    const { ask, close } = opened('minetest');
    assert.equal((await ask({ host: 'Play.Example.net', address: '192.0.2.1' })).kind, 'online');
    assert.equal((await ask({ host: 'other.example.net', address: '192.0.2.1' })).kind, 'not-listed');
    close();
  });

  test('is searched by the id in the option `server_id` of a server', async () => {
    for (const [protocol, id] of [
      ['altvmp', 'altv-1'],
      ['brokeprotocol', 'BROKE-1'],
    ] as const) {
      const { ask, close } = opened(protocol);
      const kindOf = async (server_id: string) =>
        (await ask({ address: '192.0.2.1', options: new Map([['server_id', server_id]]) })).kind;
      assert.equal(await kindOf(id), 'online');
      assert.equal(await kindOf('other'), 'not-listed');
      close();
    }
  });

  test('is decompressed if it arrives compressed with gzip', async () => {
    const { answer, ask, close } = opened('vintagestory');
    const text = {
      data: [{ serverName: 'Packed', serverIP: `198.51.100.0:${PORT}`, players: 1, maxPlayers: 2 }],
    };
    answer((request, response) => {
      assert.equal(request.headers['accept-encoding'], 'gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(text)));
    });
    const answered = await ask();
    assert.equal(answered.kind === 'online' && answered.status.name, 'Packed');
    close();
  });

  test('is accepted even if some of its entries are invalid', async () => {
    const { answer, ask, close } = opened('ragemp');
    const broken = { id: 'b', servers: [{ id: `198.51.100.0:${PORT}`, players: { amount: 'many' } }] };
    answer(json([null, 7, broken, { id: 'c', servers: 'none' }]));
    assert.equal((await ask()).kind, 'directory-unavailable');
    assert.equal((await ask({}, 1)).kind, 'not-listed');
    close();
  });

  test('is rejected for the game Stationeers if a player count is invalid', async () => {
    const { clock, answer, ask, close } = opened('stationeers');
    const entry = { Name: 'Moon', Address: addressOf(0), Port: PORT, Players: 1, MaxPlayers: 8 };
    const kindOf = async (...entries: unknown[]) => {
      answer(json({ GameSessions: entries }));
      clock.now += 2 * MINUTE_MS;
      return (await ask()).kind;
    };
    assert.equal(await kindOf(entry), 'online');
    assert.equal(await kindOf({ ...entry, Port: `${PORT}` }), 'online');
    assert.equal(await kindOf({ ...entry, Port: `${PORT}0` }), 'not-listed');
    assert.equal(await kindOf(null, 7, { Address: 7 }, entry), 'online');
    for (const count of [-1, 1e9, 'many', '0x1', []]) {
      assert.equal(await kindOf({ ...entry, Players: count }), 'directory-unavailable', String(count));
      assert.equal(await kindOf({ ...entry, MaxPlayers: count }), 'directory-unavailable', String(count));
    }
    for (const count of [null, undefined])
      assert.equal(await kindOf({ ...entry, Players: count }), 'online', 'a count may be left out');
    close();
  });

  test('is rejected if it contains more than 100,000 servers', async () => {
    const { answer, close } = opened('vintagestory');
    const data = Array.from({ length: 100_001 }, (_, i) => ({ serverIP: `x:${i}` }));
    answer(json({ data }));
    const large = openClient(fake, { maxBytes: 1 << 22 });
    const { kind } = await large.client.ask(questionAbout(game('vintagestory')));
    assert.equal(kind, 'directory-unavailable');
    large.close();
    close();
  });

  test('is fetched from the second host if the first host fails', async () => {
    const { clock, about, answer, ask, close } = opened('brokeprotocol');
    fake.answering.set('bp.userr00t.com', status(503));
    assert.equal((await ask()).kind, 'online');
    const hosts = () => fake.seen.splice(0).map(({ host }) => host);
    assert.deepEqual(hosts(), ['bp.userr00t.com', 'brokeprotocol.com']);
    answer(about.answers(1));
    clock.now += WINDOW_MS;
    assert.equal((await ask()).kind, 'online');
    assert.equal((await ask({}, 5)).kind, 'not-listed');
    assert.deepEqual(hosts(), ['bp.userr00t.com']);
    close();
  });
});
