import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FakeDirectories, json } from './fake-directories.ts';
import { questionAbout } from './game-of-directory.ts';
import { games } from './games.ts';
import { type OpenedClient, openClient } from './opened-client.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start({ plain: true });
});
after(() => fake.stop());

describe('Epic Online Services (EOS)', () => {
  const game = games.find(({ protocol }) => protocol === 'renown');
  assert.ok(game);
  const isLogIn = ({ path }: { path: string }) => path.startsWith('/auth/');

  function openedClient(): OpenedClient {
    fake.answering.set('api.epicgames.dev', game?.answers(1) ?? json({}));
    fake.seen.length = 0;
    return openClient(fake);
  }

  test('a token is reused until a minute before it expires', async () => {
    const { client, clock, close } = openedClient();
    const start = clock.now;
    const logInsAfter = async (ms: number) => {
      clock.now = start + ms;
      assert.equal((await client.ask(questionAbout(game))).kind, 'online');
      return fake.seen.filter(isLogIn).length;
    };
    assert.equal(await logInsAfter(0), 2);
    // An access token of Epic Online Services is valid for an hour. The client replaces the token a minute before it
    // expires.
    for (let ms = MINUTE_MS; ms < HOUR_MS - MINUTE_MS; ms += MINUTE_MS)
      assert.equal(await logInsAfter(ms), 2);
    assert.equal(await logInsAfter(HOUR_MS - MINUTE_MS), 4);
    close();
  });

  test('if EOS refuses a token, a look-up gets a new token, and gives `directory-refused` only if EOS refuses both tokens', async () => {
    const { client, clock, close } = openedClient();
    assert.equal((await client.ask(questionAbout(game))).kind, 'online');
    let refusals = 1;
    fake.answering.set('api.epicgames.dev', (request, response, body) => {
      if (!isLogIn({ path: request.url ?? '' }) && refusals-- > 0) response.writeHead(401).end();
      else game.answers(1)(request, response, body);
    });
    clock.now += MINUTE_MS;
    assert.equal((await client.ask(questionAbout(game))).kind, 'online');
    assert.equal(fake.seen.filter(isLogIn).length, 4);
    refusals = 2;
    clock.now += MINUTE_MS;
    assert.equal((await client.ask(questionAbout(game))).kind, 'directory-refused');
    assert.equal(fake.seen.filter(isLogIn).length, 6);
    close();
  });

  test('look-ups of one game still work if EOS refuses the requests of another game', async () => {
    const { client, close } = openedClient();
    const other = games.find(({ protocol }) => protocol === 'asa');
    assert.ok(other);
    fake.answering.set('api.epicgames.dev', (request, response, body) => {
      if (request.url?.startsWith('/wildcard')) other.answers(1)(request, response, body);
      else if (request.url === '/auth/v1/accounts/deviceid') response.writeHead(403).end();
      else game.answers(1)(request, response, body);
    });
    assert.equal((await client.ask(questionAbout(game))).kind, 'directory-refused');
    assert.equal((await client.ask(questionAbout(other))).kind, 'online');
    close();
  });

  test('look-ups of several servers at one address share one request', async () => {
    const { client, close } = openedClient();
    await client.ask(questionAbout(game));
    const before = fake.seen.length;
    assert.equal((await client.ask({ ...questionAbout(game), ports: [1] })).kind, 'online');
    assert.equal((await client.ask({ ...questionAbout(game), ports: [2] })).kind, 'not-listed');
    assert.equal(fake.seen.length, before);
    close();
  });
});
