import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { directoryOf } from '../../../prober/directories/registry.ts';
import { type Answering, FakeDirectories, json, status } from './fake-directories.ts';
import { type GameOfDirectory, games, questionAbout } from './games.ts';
import { type OpenedClient, openClient } from './opened-client.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** One game for each directory; for EOS the game whose log-in takes two requests. */
const SIMULATED = games.filter(({ directory, protocol }) => directory !== 'eos' || protocol === 'squad');

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start({ plain: true });
});
after(() => fake.stop());

/** What happened in a simulated hour. */
interface Hour {
  /** Times of the requests to each host. */
  requests: Map<string, number[]>;
  /** How often each server was found. */
  found: number[];
  kinds: Map<Answer['kind'], number>;
}

/**
 * Looks so many servers up for an hour: each one a minute after its last look-up, or when it was told to come
 * again.
 */
async function hourWith(game: GameOfDirectory, servers: number, answering?: Answering): Promise<Hour> {
  for (const host of game.hosts) fake.answering.set(host, answering ?? game.answers(servers));
  fake.seen.length = 0;
  const { client, clock, close } = openClient(fake, { maxBytes: 1 << 24 });
  const hour: Hour = {
    requests: new Map(),
    found: Array(servers).fill(0),
    kinds: new Map(),
  };
  const start = clock.now;
  const due = Array.from({ length: servers }, (_, i) => ({ i, at: start + (i * MINUTE_MS) / servers }));
  for (;;) {
    const [next] = due;
    if (!next || next.at > start + HOUR_MS) break;
    due.shift();
    clock.now = Math.max(clock.now, next.at);
    const answer = await client.ask(questionAbout(game, next.i));
    for (const { host } of fake.seen.splice(0)) {
      const times = hour.requests.get(host) ?? [];
      if (times.push(clock.now) === 1) hour.requests.set(host, times);
    }
    hour.kinds.set(answer.kind, (hour.kinds.get(answer.kind) ?? 0) + 1);
    if (answer.kind === 'online') hour.found[next.i] = (hour.found[next.i] ?? 0) + 1;
    const wait = 'retryAfterMs' in answer && answer.retryAfterMs ? answer.retryAfterMs : MINUTE_MS;
    insert(due, { i: next.i, at: clock.now + wait });
  }
  close();
  return hour;
}

/** Inserts an entry into a list ordered by time. */
function insert(due: { i: number; at: number }[], one: { i: number; at: number }): void {
  let low = 0;
  for (let high = due.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((due[middle]?.at ?? 0) <= one.at) low = middle + 1;
    else high = middle;
  }
  due.splice(low, 0, one);
}

/** The most requests within any minute. */
function busiestMinute(times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [i, time] of times.entries()) {
    while ((times[first] ?? time) <= time - MINUTE_MS) first++;
    most = Math.max(most, i - first + 1);
  }
  return most;
}

for (const game of SIMULATED) {
  const directory = directoryOf(game.protocol);
  assert.ok(directory);
  describe(`an hour of the directory of ${game.protocol}`, () => {
    for (const servers of [1, 300]) {
      test(`with ${servers} servers stays within its rate limit`, async () => {
        const hour = await hourWith(game, servers);
        for (const [host, times] of hour.requests) {
          assert.ok(
            busiestMinute(times) <= directory.perMinute,
            `${host}: ${busiestMinute(times)} in a minute`,
          );
        }
        const least = Math.min(...hour.found);
        // A list serves all servers at once; look-ups wait for each other.
        const isShared = directory.kind === 'list' || servers === 1;
        assert.ok(least >= (isShared ? 59 : 3), `a server was found ${least} times`);
        const others = [...hour.kinds.keys()].filter(kind => kind !== 'online' && kind !== 'paced');
        assert.deepEqual(others, []);
        assert.equal(hour.kinds.has('paced'), !isShared);
      });
    }
  });
}

for (const game of SIMULATED) {
  test(`an hour of failures of the directory of ${game.protocol} takes few requests`, async () => {
    const hour = await hourWith(game, 100, status(500));
    for (const [host, times] of hour.requests) {
      // Pauses double up to ten minutes, so an hour has at most twelve requests.
      assert.ok(times.length <= 12, `${host}: ${times.length} requests`);
    }
    assert.deepEqual([...hour.kinds.keys()], ['directory-unavailable']);
  });
}

test('a directory list is fetched once a minute, however many ask at once', async () => {
  const game = games.find(({ protocol }) => protocol === 'minetest');
  assert.ok(game);
  fake.answering.set('servers.minetest.net', game.answers(1000));
  fake.seen.length = 0;
  const { client, close } = openClient(fake, { maxBytes: 1 << 24 });
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => client.ask(questionAbout(game, i))),
  );
  assert.ok(answers.every(({ kind }) => kind === 'online'));
  assert.equal(fake.seen.length, 1);
  close();
});

describe('tokens of EOS', () => {
  const game = games.find(({ protocol }) => protocol === 'renown');
  assert.ok(game);
  const isLogIn = ({ path }: { path: string }) => path.startsWith('/auth/');

  function openedClient(): OpenedClient {
    fake.answering.set('api.epicgames.dev', game?.answers(1) ?? json({}));
    fake.seen.length = 0;
    return openClient(fake);
  }

  test('are reused until just before they expire', async () => {
    const { client, clock, close } = openedClient();
    const start = clock.now;
    const logInsAfter = async (ms: number) => {
      clock.now = start + ms;
      assert.equal((await client.ask(questionAbout(game))).kind, 'online');
      return fake.seen.filter(isLogIn).length;
    };
    assert.equal(await logInsAfter(0), 2);
    // A token lives an hour, and is replaced a minute before its end.
    for (let ms = MINUTE_MS; ms < HOUR_MS - MINUTE_MS; ms += MINUTE_MS)
      assert.equal(await logInsAfter(ms), 2);
    assert.equal(await logInsAfter(HOUR_MS - MINUTE_MS), 4);
    close();
  });

  test('are replaced when one is refused; the directory counts as refusing only if the new one is refused too', async () => {
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

  test('EOS refusing one game does not affect its other games', async () => {
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

  test('EOS servers at one address share one look-up', async () => {
    const { client, close } = openedClient();
    await client.ask(questionAbout(game));
    const before = fake.seen.length;
    assert.equal((await client.ask({ ...questionAbout(game), ports: [1] })).kind, 'online');
    assert.equal((await client.ask({ ...questionAbout(game), ports: [2] })).kind, 'not-listed');
    assert.equal(fake.seen.length, before);
    close();
  });
});
