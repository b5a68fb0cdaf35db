import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answering, FakeDirectories, nothing, status } from './fake-directories.ts';
import { openGameClient } from './opened-client.ts';

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

describe('an HTTP redirect from an online server list', () => {
  /**
   * Returns a fake public server list that answers with a chain of `hops` redirects, from path to path. The last path
   * answers with `then`.
   */
  const leading =
    (hops: number, then: Answering): Answering =>
    (request, response, body) => {
      const at = Number(/^\/hop(\d)$/.exec(request.url ?? '')?.[1] ?? 0);
      if (at === hops) then(request, response, body);
      else response.writeHead(302, { location: `/hop${at + 1}` }).end();
    };

  test('is followed only when the rate limit allows another request, if the first request asked for the whole list', async () => {
    const { clock, about, answer, ask, close, notes } = opened('minetest');
    answer(leading(3, about.answers(1)));
    for (let hop = 1; hop <= 3; hop++) {
      const paced = await ask();
      assert.ok(paced.kind === 'paced' && paced.retryAfterMs, JSON.stringify(paced));
      assert.equal((await ask()).kind, 'paced');
      assert.equal(fake.seen.length, hop);
      clock.now += paced.retryAfterMs;
    }
    assert.equal((await ask()).kind, 'online');
    assert.deepEqual(
      fake.seen.map(({ path }) => path),
      ['/list', '/hop1', '/hop2', '/hop3'],
    );
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['redirected', 'redirected', 'redirected', 'ok']);
    close();
  });

  test('makes the look-up fail if it is the fourth redirect in a row', async () => {
    const { clock, answer, ask, close, pauses } = opened('minetest');
    answer(leading(9, nothing));
    let kind = 'paced';
    for (let i = 0; i < 10 && kind === 'paced'; i++) {
      const answered = await ask();
      ({ kind } = answered);
      if (kind === 'paced') clock.now += 'retryAfterMs' in answered ? (answered.retryAfterMs ?? 0) : 0;
    }
    assert.equal(kind, 'directory-unavailable');
    assert.match(pauses().at(-1)?.detail ?? '', /redirects more than 3 times/);
    assert.equal(fake.seen.length, 4);
    close();
  });

  test('is followed immediately if the first request asked for one server and the rate limit allows another request', async () => {
    const { about, answer, ask, close } = opened('factorio');
    answer(leading(1, about.answers(1)));
    for (let i = 0; i < 10; i++) assert.equal((await ask({}, i)).kind, 'online');
    assert.equal(fake.seen.length, 20);
    close();
  });

  test('is not followed if it answers a POST request', async () => {
    const { answer, ask, close } = opened('renown');
    answer(status(307, { location: '/hop1' }));
    assert.equal((await ask()).kind, 'directory-unavailable');
    assert.equal(fake.seen.length, 1);
    close();
  });
});
