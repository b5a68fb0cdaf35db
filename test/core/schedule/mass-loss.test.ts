import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MassLoss } from '../../../core/schedule/mass-loss.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const start = Date.UTC(2026, 0, 1);

interface Fleet {
  loss: MassLoss;
  now: number;
}

/** One probe of each of these networks every second, for so many seconds; `answers` tells which are answered. */
function run(
  fleet: Fleet,
  seconds: number,
  networks: readonly string[],
  answers: (i: number) => boolean,
): void {
  for (let second = 0; second < seconds; second++) {
    networks.forEach((network, i) => {
      fleet.loss.note(network, answers(i), fleet.now + i);
    });
    fleet.now += SECOND;
  }
}

const all = () => true;
const none = () => false;
const networks = (count: number) => Array.from({ length: count }, (_, i) => `10.${i >> 8}.${i & 255}`);
const fresh = (): Fleet => ({ loss: new MassLoss(), now: start });

/** A fleet that has answered for a minute. */
function healthy(count: number): Fleet {
  const fleet = fresh();
  run(fleet, 60, networks(count), all);
  return fleet;
}

describe('most networks lost', () => {
  for (const count of [10, 100, 2_000]) {
    test(`half of ${count} networks begin it within the window, a quarter ends it, fewer do neither`, () => {
      const fleet = healthy(count);
      run(fleet, 60, networks(count), i => i % 5 < 3);
      assert.equal(fleet.loss.frozen, false, 'two of five');
      run(fleet, 11, networks(count), i => i % 5 < 2);
      assert.equal(fleet.loss.frozen, true, 'three of five');
      run(fleet, 60, networks(count), i => i % 5 < 3);
      assert.equal(fleet.loss.frozen, true, 'still two of five');
      run(fleet, 11, networks(count), i => i % 5 !== 0);
      assert.equal(fleet.loss.frozen, false, 'one of five');
    });
  }

  test('one network weighs the same however many servers it has', () => {
    const fleet = fresh();
    const small = networks(9);
    const large = Array<string>(1_000).fill('10.9.9');
    run(fleet, 60, [...small, ...large], i => i < 9);
    assert.equal(fleet.loss.frozen, false);
  });

  test('fewer than five networks, or than 20 probes, say nothing', () => {
    const few = fresh();
    run(few, 60, [...networks(3), ...networks(3), ...networks(4)], i => i === 0);
    assert.equal(few.loss.frozen, false);
    const rare = fresh();
    for (let i = 0; i < 60; i++) {
      rare.loss.note(`10.0.${i % 10}`, i % 4 === 0, rare.now);
      rare.now += 600;
    }
    assert.equal(rare.loss.frozen, false);
  });

  test('some failures are normal', () => {
    const fleet = fresh();
    run(fleet, 600, networks(200), i => i % 10 !== 0);
    assert.equal(fleet.loss.frozen, false);
  });

  test('what stays lost for 10 minutes while others answer is believed, until it is over and begins again', () => {
    const fleet = healthy(100);
    const part = (i: number) => i % 5 < 2;
    run(fleet, 600, networks(100), part);
    assert.equal(fleet.loss.frozen, true);
    run(fleet, 20, networks(100), part);
    assert.equal(fleet.loss.frozen, false);
    run(fleet, 600, networks(100), part);
    assert.equal(fleet.loss.frozen, false);
    run(fleet, 20, networks(100), all);
    run(fleet, 20, networks(100), part);
    assert.equal(fleet.loss.frozen, true);
  });

  test('when nearly nothing answers it lasts', () => {
    const fleet = healthy(100);
    run(fleet, 3_600, networks(100), i => i === 0);
    assert.equal(fleet.loss.frozen, true);
  });

  test('a clock set back begins anew', () => {
    const fleet = healthy(100);
    run(fleet, 20, networks(100), none);
    fleet.now -= 3_600 * SECOND;
    run(fleet, 2, networks(100), all);
    assert.equal(fleet.loss.frozen, false);
  });
});

describe('nothing answers', () => {
  test('five of five lost over a minute', () => {
    const fleet = fresh();
    const probe = (network: string, answered: boolean) => {
      fleet.now += 12 * SECOND;
      fleet.loss.note(network, answered, fleet.now);
    };
    for (const network of networks(5)) probe(network, true);
    for (const network of networks(4)) probe(network, false);
    for (const network of networks(4)) probe(network, false);
    assert.equal(fleet.loss.frozen, false, 'four');
    probe('10.0.4', false);
    assert.equal(fleet.loss.frozen, true, 'five');
    for (let i = 0; i < 1_000; i++) probe(`10.0.${i % 5}`, false);
    assert.equal(fleet.loss.frozen, true);
    probe('10.0.0', true);
    assert.equal(fleet.loss.frozen, false, 'until one answers');
  });

  test('not within five seconds of an answer', () => {
    const fleet = healthy(6);
    for (let i = 0; i < 4; i++) {
      fleet.now += SECOND;
      for (const network of networks(6)) fleet.loss.note(network, false, fleet.now);
      assert.equal(fleet.loss.frozen, false, `${i}`);
    }
    fleet.now += SECOND;
    fleet.loss.note('10.0.0', false, fleet.now);
    assert.equal(fleet.loss.frozen, true);
  });

  test('a prober that has never heard anything is not believed at all', () => {
    const { loss, now } = fresh();
    for (const network of networks(5)) loss.note(network, false, now);
    assert.equal(loss.frozen, true);
  });
});

describe('tellsApart: whether one server or all are silent', () => {
  const since = start + MINUTE;

  test('while others answer', () => {
    const { loss } = fresh();
    loss.note('a', true, since);
    assert.equal(loss.tellsApart('b', since, since + 15 * SECOND), true);
    assert.equal(loss.tellsApart('b', since + 1, since + 15 * SECOND), false);
  });

  test('its own network is no other', () => {
    const { loss } = fresh();
    loss.note('a', true, since - 1);
    loss.note('b', true, since + 5);
    loss.note('b', true, since + 9);
    assert.equal(loss.tellsApart('b', since, since + 15 * SECOND), false);
    assert.equal(loss.tellsApart('a', since, since + 15 * SECOND), true);
  });

  test('alone, or where others are silent for more than two minutes, it is believed', () => {
    const { loss } = fresh();
    assert.equal(loss.tellsApart('a', since, since + 1), true);
    loss.note('a', true, since - 1);
    assert.equal(loss.tellsApart('a', since, since + 1), true);
    assert.equal(loss.tellsApart('b', since, since - 1 + 2 * MINUTE), false);
    assert.equal(loss.tellsApart('b', since, since + 2 * MINUTE), true);
  });
});
