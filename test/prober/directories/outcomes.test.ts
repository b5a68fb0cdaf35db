import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { type Answering, FakeDirectories, half, nothing, status } from './fake-directories.ts';
import { type GameOfDirectory, questionAbout } from './game-of-directory.ts';
import { games } from './games.ts';
import { type OpenedClient, openClient, USER_AGENT } from './opened-client.ts';

const DAY_MS = 24 * 3_600_000;
/** A time that is longer than the timeout of every request to a public server list, ms. */
const PATIENCE_MS = 11_000;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

/**
 * Makes the fake public server list of `game` answer its requests with the function `answering`. Returns a new client
 * of this list.
 */
function opened(game: GameOfDirectory, answering: Answering): OpenedClient {
  for (const host of game.hosts) fake.answering.set(host, answering);
  fake.seen.length = 0;
  return openClient(fake);
}

async function asked(game: GameOfDirectory, answering: Answering) {
  const opening = opened(game, answering);
  const answer = await opening.client.ask(questionAbout(game));
  opening.close();
  return { answer, pauses: opening.pauses() };
}

function failureOf(answer: Answer) {
  assert.notEqual(answer.kind, 'online');
  return answer as Exclude<Answer, { kind: 'online' }>;
}

for (const game of games) {
  describe(`the directory (online server list) of ${game.protocol}`, () => {
    // True if look-ups of this game need a secret. The server list then answers with status 401 if it refuses the
    // secret.
    const hasKey = game.more?.secret !== undefined;

    test('gives the status of a listed server', async () => {
      const { answer } = await asked(game, game.answers(2));
      assert.deepEqual(answer, { kind: 'online', status: game.expected, ping: 0 });
      for (const { headers } of fake.seen) assert.equal(headers['user-agent'], USER_AGENT);
    });

    test('a 401 gives `needs-credentials` if look-ups in this directory need a secret, otherwise `directory-refused`', async () => {
      const { answer } = await asked(game, status(401));
      assert.equal(answer.kind, hasKey ? 'needs-credentials' : 'directory-refused');
      assert.doesNotMatch(failureOf(answer).detail, /pass word|\bkey$/);
    });

    test('receives no requests for a day after a 403, and the pause is reported to the operator', async () => {
      const { client, clock, close, pauses } = opened(game, status(403));
      const ask = () => client.ask(questionAbout(game));
      const first = failureOf(await ask());
      assert.equal(first.kind, 'directory-refused');
      assert.equal(pauses().at(-1)?.ms, DAY_MS);
      const before = fake.seen.length;
      clock.now += DAY_MS - 1;
      const later = failureOf(await ask());
      assert.equal(later.kind, 'directory-refused');
      assert.equal('retryAfterMs' in later && later.retryAfterMs, 1);
      assert.equal(fake.seen.length, before);
      clock.now += 1;
      await ask();
      assert.ok(fake.seen.length > before);
      close();
    });

    for (const code of [429, 503]) {
      test(`is unavailable after a ${code}, and gets no request until the Retry-After time is over`, async () => {
        const { client, clock, close } = opened(game, status(code, { 'retry-after': '1200' }));
        const ask = () => client.ask(questionAbout(game));
        const first = failureOf(await ask());
        assert.equal(first.kind, 'directory-unavailable');
        assert.equal('retryAfterMs' in first && first.retryAfterMs, 1_200_000);
        const before = fake.seen.length;
        clock.now += 1_199_999;
        assert.equal((await ask()).kind, 'directory-unavailable');
        assert.equal(fake.seen.length, before);
        clock.now += 1;
        await ask();
        assert.ok(fake.seen.length > before);
        close();
      });
    }

    const troubles: [string, Answering][] = [
      ['a 503', status(503)],
      ['a 500', status(500)],
      ['a 429 without Retry-After', status(429)],
      ['a body that is not JSON', status(200, {}, '<html>maintenance</html>')],
      ['JSON of an unexpected form', status(200, {}, '{"list":{"sessions":7},"data":"soon","Success":"so"}')],
      ['an empty body', status(200, {}, '')],
      ['an incomplete body', half],
      ['a content encoding that was not requested', status(200, { 'content-encoding': 'br' })],
      ['the header for gzip but an uncompressed body', status(200, { 'content-encoding': 'gzip' })],
      ['an endless body', (_, response) => void response.writeHead(200).write('['.repeat(2 ** 21))],
      ['a redirect to another host', status(302, { location: 'https://elsewhere.example/' })],
    ];
    for (const [what, answering] of troubles) {
      test(`is unavailable if it replies with ${what}`, async () => {
        assert.equal((await asked(game, answering)).answer.kind, 'directory-unavailable');
      });
    }

    test('is unavailable if it never replies', async () => {
      const { client, clock, close } = opened(game, nothing);
      let answer: Answer | undefined;
      const lookUp = client.ask(questionAbout(game)).then(found => {
        answer = found;
      });
      while (!answer) {
        await Promise.race([lookUp, fake.arrival()]);
        clock.pass(PATIENCE_MS);
      }
      assert.equal(answer.kind, 'directory-unavailable');
      assert.match(answer.detail, /no whole answer within/);
      close();
    });

    if (game.directory !== 'discord' && game.directory !== 'scpsl') {
      test('gives `not-listed` for a server that is missing in the list', async () => {
        const { client, close } = opened(game, unknowing(game));
        const { options } = questionAbout(game);
        // Looks up a server that the public server list does not contain: its port is 9. Some lists identify servers by
        // an id and not by an address. For these lists, the test also changes the id.
        const others = options.size > 0 ? new Map(options).set('server_id', 'another') : options;
        const answer = await client.ask({ ...questionAbout(game), ports: [9], options: others });
        assert.equal(answer.kind, 'not-listed');
        close();
      });
    }
  });
}

/** Returns the answer of a public server list that does not contain the requested server. */
function unknowing(game: GameOfDirectory): Answering {
  return game.directory === 'factorio' ? status(404, {}, '{"message":"no game there"}') : game.answers(2);
}
