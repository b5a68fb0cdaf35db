import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestRateLimit, WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const MINUTE_MS = 60_000;

test('a directory (online server list) with a limit of 60 requests a minute gets its 61st request at least a minute after its first', () => {
  const rateLimit = new RequestRateLimit(60);
  for (let i = 0; i < 60; i++) assert.equal(rateLimit.countRequest(i * 100), 0);
  assert.equal(rateLimit.countRequest(6_000), WINDOW_MS - 6_000);
  assert.equal(rateLimit.countRequest(WINDOW_MS - 1), 1);
  assert.equal(rateLimit.countRequest(WINDOW_MS), 0);
  assert.equal(rateLimit.countRequest(WINDOW_MS), 100);
});

test('at a limit of one request a minute, requests reach a directory (online server list) at least a minute apart', () => {
  const rateLimit = new RequestRateLimit(1);
  const connectMs = 2_500;
  rateLimit.countRequest(0);
  const next = rateLimit.countRequest(MINUTE_MS);
  assert.ok(
    MINUTE_MS + next - connectMs > MINUTE_MS,
    'the second request arrives within a minute of the first',
  );
});

test('a directory (online server list) with a limit of 60 requests a minute gets the first 11 look-ups at once, and all further look-ups at equal intervals', () => {
  const rateLimit = new RequestRateLimit(60);
  const waits = Array.from({ length: 15 }, (_, i) => rateLimit.claimReservation(`server ${i}`, 0));
  const gap = WINDOW_MS / 60;
  assert.deepEqual(waits, [...Array(11).fill(0), gap, 2 * gap, 3 * gap, 4 * gap]);
});

test('a postponed look-up in a directory (online server list) keeps its reserved time if the caller retries too early', () => {
  const rateLimit = new RequestRateLimit(60);
  for (let i = 0; i < 20; i++) rateLimit.claimReservation(`server ${i}`, 0);
  const wait = rateLimit.claimReservation('patient', 0);
  assert.ok(wait > 0);
  assert.equal(rateLimit.claimReservation('patient', wait - 1), 1);
  assert.equal(rateLimit.claimReservation('patient', wait), 0);
  assert.ok(rateLimit.claimReservation('patient', wait) > 0, 'a turn is good for one look-up');
});

test('the prober does not exceed the rate limit of a directory (online server list), even if many look-ups are overdue', () => {
  const random = randomNumbers(7);
  const rateLimit = new RequestRateLimit(60);
  const sent: number[] = [];
  const due = Array.from({ length: 500 }, (_, i) => ({ key: `server ${i}`, at: random(MINUTE_MS) }));
  for (let now = 0; now < 60 * MINUTE_MS; now += 50) {
    // Simulates a prober that is suspended for a while. After that, many look-ups are due at the same time.
    if (Math.floor(now / 100_000) % 3 === 2) continue;
    for (const each of due) {
      if (each.at > now) continue;
      const wait = rateLimit.claimReservation(each.key, now) || rateLimit.countRequest(now);
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

test('the prober postpones a look-up in a directory (online server list) by at most one hour, even behind 10,000 other look-ups', () => {
  const rateLimit = new RequestRateLimit(60);
  let reserved = 0;
  for (let i = 0; i < 10_000; i++) if (rateLimit.claimReservation(`gone ${i}`, 0) < 3_600_000) reserved++;
  const anHour = (60 * MINUTE_MS) / (WINDOW_MS / 60);
  assert.ok(reserved > anHour && reserved < anHour + 60, `${reserved}`);
  assert.equal(rateLimit.claimReservation('late', 0), 3_600_000);
  const hourLater = 2 * 3_600_000;
  assert.equal(rateLimit.claimReservation('late', hourLater), 0);
});
