import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestBudget } from '../../../prober/directories/request-budget.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const MINUTE_MS = 60_000;

test('lets through as many requests as a minute may have, and the next one when the first is a minute old', () => {
  const budget = new RequestBudget(60);
  for (let i = 0; i < 60; i++) assert.equal(budget.takeRequest(i * 100), 0);
  assert.equal(budget.takeRequest(6_000), MINUTE_MS - 6_000);
  assert.equal(budget.takeRequest(MINUTE_MS - 1), 1);
  assert.equal(budget.takeRequest(MINUTE_MS), 0);
  assert.equal(budget.takeRequest(MINUTE_MS), 100);
});

test('gives turns in the order in which look-ups came, a second apart after a burst of ten', () => {
  const budget = new RequestBudget(60);
  const waits = Array.from({ length: 15 }, (_, i) => budget.claimTurn(`server ${i}`, 0));
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000, 2000, 3000, 4000]);
});

test('keeps a turn until it comes, however often its server asks before', () => {
  const budget = new RequestBudget(60);
  for (let i = 0; i < 20; i++) budget.claimTurn(`server ${i}`, 0);
  const wait = budget.claimTurn('patient', 0);
  assert.ok(wait > 0);
  assert.equal(budget.claimTurn('patient', wait - 1), 1);
  assert.equal(budget.claimTurn('patient', wait), 0);
  assert.ok(budget.claimTurn('patient', wait) > 0, 'a turn is good for one look-up');
});

test('never exceeds a minute’s requests, whoever comes late for their turns', () => {
  const random = randomNumbers(7);
  const budget = new RequestBudget(60);
  const sent: number[] = [];
  const due = Array.from({ length: 500 }, (_, i) => ({ key: `server ${i}`, at: random(MINUTE_MS) }));
  for (let now = 0; now < 60 * MINUTE_MS; now += 50) {
    // A prober that stood still for a while has them all come at once.
    if (Math.floor(now / 100_000) % 3 === 2) continue;
    for (const each of due) {
      if (each.at > now) continue;
      const wait = budget.claimTurn(each.key, now) || budget.takeRequest(now);
      if (wait === 0) sent.push(now);
      each.at = now + (wait || MINUTE_MS) + random(5_000);
    }
  }
  for (const [i, time] of sent.entries()) {
    const later = sent[i + 60];
    assert.ok(later === undefined || later - time >= MINUTE_MS, `61 requests from ${time} to ${later}`);
  }
  assert.ok(sent.length > 60 * 40, `${sent.length} requests were sent in an hour`);
});

test('reserves no turn further ahead than an hour, and forgets those nobody came for', () => {
  const budget = new RequestBudget(60);
  let reserved = 0;
  for (let i = 0; i < 10_000; i++) if (budget.claimTurn(`gone ${i}`, 0) < 3_600_000) reserved++;
  assert.ok(reserved > 3_500 && reserved < 3_700, `${reserved}`);
  assert.equal(budget.claimTurn('late', 0), 3_600_000);
  const hourLater = 2 * 3_600_000;
  assert.equal(budget.claimTurn('late', hourLater), 0);
});
