import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { type Answering, FakeDirectories, half, nothing, status } from './fake-directories.ts';
import { type GameOfDirectory, games, questionAbout } from './games.ts';
import { type OpenedClient, openClient, USER_AGENT } from './opened-client.ts';

const DAY_MS = 24 * 3_600_000;
/** Longer than any wait for an answer, ms. */
const PATIENCE_MS = 11_000;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

/** A new client of a directory that answers like this. */
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
  describe(`the directory of ${game.protocol}`, () => {
    // If the game has a key, a 401 concerns the operator's key.
    const hasKey = game.more?.secret !== undefined;

    test('reports a server that it lists', async () => {
      const { answer } = await asked(game, game.answers(2));
      assert.deepEqual(answer, { kind: 'online', status: game.expected, ping: 0 });
      for (const { headers } of fake.seen) assert.equal(headers['user-agent'], USER_AGENT);
    });

    test('that answers 401 refuses us, or the key', async () => {
      const { answer } = await asked(game, status(401));
      assert.equal(answer.kind, hasKey ? 'needs-credentials' : 'directory-refused');
      assert.doesNotMatch(failureOf(answer).detail, /pass word|\bkey$/);
    });

    test('that answers 403 is not asked for a day, and operators are told', async () => {
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
      test(`that answers ${code} with Retry-After is unavailable, and is not asked until then`, async () => {
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
      ['503', status(503)],
      ['500', status(500)],
      ['429 without Retry-After', status(429)],
      ['what is no JSON', status(200, {}, '<html>maintenance</html>')],
      [
        'JSON that is something else',
        status(200, {}, '{"list":{"sessions":7},"data":"soon","Success":"so"}'),
      ],
      ['an empty body', status(200, {}, '')],
      ['half a body', half],
      ['what is packed in a way that was not asked for', status(200, { 'content-encoding': 'br' })],
      ['what calls itself packed and is not', status(200, { 'content-encoding': 'gzip' })],
      ['without end', (_, response) => void response.writeHead(200).write('['.repeat(2 ** 21))],
      ['a redirect elsewhere', status(302, { location: 'https://elsewhere.example/' })],
    ];
    for (const [what, answering] of troubles) {
      test(`that answers ${what} is unavailable`, async () => {
        assert.equal((await asked(game, answering)).answer.kind, 'directory-unavailable');
      });
    }

    test('that never answers is unavailable', async () => {
      const { client, clock, close } = opened(game, nothing);
      let answer: Answer | undefined;
      const asking = client.ask(questionAbout(game)).then(found => {
        answer = found;
      });
      while (!answer) {
        await Promise.race([asking, fake.arrival()]);
        clock.pass(PATIENCE_MS);
      }
      assert.equal(answer.kind, 'directory-unavailable');
      assert.match(answer.detail, /no whole answer within/);
      close();
    });

    if (game.directory !== 'discord' && game.directory !== 'scpsl') {
      test('reports an unknown server as not listed', async () => {
        const { client, close } = opened(game, unknowing(game));
        const { options } = questionAbout(game);
        // If servers are found by an id, this asks for another id.
        const others = options.size > 0 ? new Map(options).set('server_id', 'another') : options;
        const answer = await client.ask({ ...questionAbout(game), ports: [9], options: others });
        assert.equal(answer.kind, 'not-listed');
        close();
      });
    }
  });
}

/** Answers as the game's directory does for a server that it does not list. */
function unknowing(game: GameOfDirectory): Answering {
  return game.directory === 'factorio' ? status(404, {}, '{"message":"no game there"}') : game.answers(2);
}
