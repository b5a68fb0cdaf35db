import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { directoryOf } from '../../../prober/directories/registry.ts';
import { type Answering, FakeDirectories, status } from './fake-directories.ts';
import { type GameOfDirectory, questionAbout } from './game-of-directory.ts';
import { games } from './games.ts';
import { openClient } from './opened-client.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * One game for each public server list. Of the games that use Epic Online Services, the test takes Squad, because its
 * log-in needs two requests.
 */
const SIMULATED = games.filter(({ directory, protocol }) => directory !== 'eos' || protocol === 'squad');

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start({ plain: true });
});
after(() => fake.stop());

/** Results of one simulated hour: the requests to public server lists, and the answers to look-ups. */
interface Hour {
  /** Times of the requests to public server lists, ms, keyed by host. */
  requests: Map<string, number[]>;
  /** Number of successful look-ups of each server, by index of the server. */
  found: number[];
  /** Number of answers of each kind (for example `online`), summed over the look-ups of all servers. */
  kinds: Map<Answer['kind'], number>;
}

/**
 * Simulates an hour of look-ups of several servers. The next look-up of a server follows after one minute, or after the
 * time that the last answer requested.
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

/** Inserts a planned look-up into the list of all planned look-ups (`due`), which is sorted by the time `at`. */
function insert(due: { i: number; at: number }[], one: { i: number; at: number }): void {
  let low = 0;
  for (let high = due.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((due[middle]?.at ?? 0) <= one.at) low = middle + 1;
    else high = middle;
  }
  due.splice(low, 0, one);
}

/** Returns the largest number of requests to a public server list within any minute. */
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
  describe(`the directory (online server list) of ${game.protocol}`, () => {
    for (const servers of [1, 300]) {
      test(`gets no more requests than its rate limit allows if the number of tracked servers is ${servers}`, async () => {
        const hour = await hourWith(game, servers);
        for (const [host, times] of hour.requests) {
          assert.ok(
            busiestMinute(times) <= directory.perMinute,
            `${host}: ${busiestMinute(times)} in a minute`,
          );
        }
        const least = Math.min(...hour.found);
        // If `isShared` is true, one answer of the public server list is enough for all servers, so the rate limit
        // delays no look-up. If false, each server needs a request of its own, so the rate limit must delay some
        // look-ups.
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
  test(`if all requests fail, each host of the directory (online server list) of ${game.protocol} receives at most 12 requests in an hour`, async () => {
    const hour = await hourWith(game, 100, status(500));
    for (const [host, times] of hour.requests) {
      // The pause after a failed request doubles, up to ten minutes. Therefore a host receives at most twelve requests
      // in an hour.
      assert.ok(times.length <= 12, `${host}: ${times.length} requests`);
    }
    assert.deepEqual([...hour.kinds.keys()], ['directory-unavailable']);
  });
}

test('the prober fetches the server list of a directory once for 1000 concurrent look-ups', async () => {
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
