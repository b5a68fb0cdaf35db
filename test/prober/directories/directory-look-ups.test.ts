import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { FakeDirectories, status } from './fake-directories.ts';
import { questionAbout } from './game-of-directory.ts';
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

describe('look-ups in a directory (online server list)', () => {
  test('pause the requests to the directory only once if several look-ups fail at the same time', async () => {
    for (const [answering, ms] of [
      [status(500), WINDOW_MS],
      [status(429, { 'retry-after': '300' }), 5 * MINUTE_MS],
      [status(403), 24 * 60 * MINUTE_MS],
    ] as const) {
      const { answer, ask, pauses, close } = opened('factorio');
      answer(answering);
      await Promise.all(Array.from({ length: 10 }, (_, i) => ask({}, i)));
      assert.deepEqual(
        pauses().map(pause => pause.ms),
        [ms],
      );
      close();
    }
  });

  test('still succeed after the directory has sent unexpected replies to look-ups of other servers', async () => {
    for (const answering of [status(400), status(200, {}, 'what?')]) {
      const { about, answer, ask, pauses, close } = opened('factorio');
      answer(answering);
      for (let i = 0; i < 5; i++) assert.equal((await ask({}, i)).kind, 'directory-unavailable');
      answer(about.answers(1));
      assert.equal((await ask({}, 9)).kind, 'online');
      assert.deepEqual(pauses(), []);
      close();
    }
  });

  test('reuse a result for half a minute, and then send the ETag of this result to the directory', async () => {
    const { clock, about, answer, ask, close, notes } = opened('discord');
    const whole = about.answers(1);
    answer((request, response, body) => {
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else whole(request, response.setHeader('etag', '"one"'), body);
    });
    const start = clock.now;
    for (const passed of [0, 29_999, 30_000, 60_000]) {
      clock.now = start + passed;
      assert.equal((await ask()).kind, 'online');
    }
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['ok', 'unchanged', 'unchanged']);
    close();
  });
});

describe('a directory (online server list) whose owner objects to requests', () => {
  test('gets requests only if the operator of gsq has opted in', async () => {
    fake.answering.set('masterserver.vintagestory.at', game('vintagestory').answers(1));
    fake.seen.length = 0;
    const { client, close } = openClient(fake, { optIn: ['beammp'] });
    const answer = await client.ask(questionAbout(game('vintagestory')));
    assert.equal(answer.kind, 'directory-refused');
    assert.match(
      answer.kind === 'directory-refused' ? answer.detail : '',
      /GSQ_DIRECTORY_OPT_IN=vintagestory/,
    );
    assert.equal(fake.seen.length, 0);
    close();
  });
});

test('a new DirectoryClient sends no requests to a directory (online server list) during a pause that the previous client began', async () => {
  const { pauses, ask, answer, close } = opened('altvmp');
  answer(status(403));
  await ask();
  const [pause] = pauses();
  assert.ok(pause);
  answer(game('altvmp').answers(1));
  const next = openClient(fake, { pauses: [{ ...pause, ms: 5_000 }] });
  assert.equal((await next.client.ask(questionAbout(game('altvmp')))).kind, 'directory-refused');
  next.clock.now += 5_000;
  assert.equal((await next.client.ask(questionAbout(game('altvmp')))).kind, 'online');
  next.close();
  close();
});

test('a look-up gives `fault`, a local error, if the game of the server has no directory (online server list)', async () => {
  const { client, close } = openClient(fake);
  assert.equal((await client.ask({ ...questionAbout(game('altvmp')), protocol: 'a2s' })).kind, 'fault');
  close();
});
