import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, confirmAt, nextInPhase, nextOutOfPhase } from '../../../core/servers/probe-interval.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);

test('healthy probes keep to their phase: half an interval to one and a half apart, one on average', () => {
  for (let i = 0; i < 200; i++) {
    const server = { gameId: 'csgo', address: `1.2.3.${i}:27015` };
    const now = start + i * 977;
    const first = nextInPhase(server, now, MINUTE);
    assert.ok(first >= now + MINUTE / 2 && first < now + MINUTE * 1.5);
    // A probe that ends late does not move those after it.
    assert.equal(nextInPhase(server, first + 20_000, MINUTE), first + MINUTE);
  }
});

test('servers inserted together spread over the interval', () => {
  const seconds = Array<number>(60).fill(0);
  const servers = 60_000;
  for (let i = 0; i < servers; i++) {
    const server = { gameId: 'csgo', address: `5.${i >> 8}.${i & 255}.7:${27015 + (i % 10)}` };
    const second = Math.floor((nextInPhase(server, start, MINUTE) % MINUTE) / 1000);
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  const fair = servers / 60;
  for (const [second, count] of seconds.entries()) {
    assert.ok(
      count > fair * 0.8 && count < fair * 1.2,
      `${count} servers in second ${second}, fair were ${fair}`,
    );
  }
});

test('out of phase: half an interval to one and a half away, elsewhere each time', () => {
  const server = { gameId: 'csgo', address: '1.2.3.4:27015' };
  const tenths = new Set<number>();
  let [now, sum] = [start, 0];
  for (let i = 0; i < 1000; i++) {
    const wait = nextOutOfPhase(server, now, MINUTE) - now;
    assert.ok(wait >= MINUTE / 2 && wait <= MINUTE * 1.5, `${wait}`);
    tenths.add(Math.floor((wait / MINUTE - 0.5) * 10));
    sum += wait;
    now += wait;
  }
  assert.equal(tenths.size, 10);
  assert.ok(Math.abs(sum / 1000 - MINUTE) < MINUTE / 20, `${sum / 1000} on average`);
});

test('a second look comes after 15 s, sooner where the interval is shorter', () => {
  assert.deepEqual([confirmAt(start, MINUTE), confirmAt(start, 2_000)], [start + 15_000, start + 2_000]);
});

test('the backoff grows to 60 intervals and stays there', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 100].map(further => backoffMs(further, 1)),
    [5, 10, 20, 30, 60, 60, 60],
  );
});
