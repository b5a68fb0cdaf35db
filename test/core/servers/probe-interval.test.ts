import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  againAt,
  mayReturnSoon,
  nextInPhase,
  nextLook,
  nextOutOfPhase,
  offlineIntervalMs,
} from '../../../core/servers/probe-interval.ts';
import type { Label } from '../../../core/servers/server-record.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 0, 1);

test('nextInPhase() plans the probes of a server at fixed times, one interval apart, even if a probe ends late', () => {
  for (let i = 0; i < 200; i++) {
    const server = { gameId: 'csgo', address: `1.2.3.${i}:27015` };
    const now = start + i * 977;
    const first = nextInPhase(server, now, MINUTE);
    assert.ok(first >= now + MINUTE / 2 && first < now + MINUTE * 1.5);
    // If a probe ends 20 s after its due time, the next probe is due one interval after this due time, not later.
    assert.equal(nextInPhase(server, first + 20_000, MINUTE), first + MINUTE);
  }
});

test('servers that were inserted together are probed at times spread evenly over the interval', () => {
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

test('nextOutOfPhase() plans the next probe after a varying pause of 0.5 to 1.5 intervals, on average one interval', () => {
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

test('servers at neighbouring ports of one address are probed at times spread over the interval', () => {
  const phases = Array.from({ length: 50 }, (_, i) => {
    const server = { gameId: 'csgo', address: `1.2.3.4:${27_000 + i}` };
    return (nextInPhase(server, start, MINUTE) % MINUTE) / MINUTE;
  }).sort((a, b) => a - b);
  const gaps = phases.map((phase, i) => (phases[i + 1] ?? (phases[0] ?? 0) + 1) - phase);
  assert.ok(Math.max(...gaps) < 0.2, `a gap of ${Math.max(...gaps)} intervals`);
  for (let tenth = 0; tenth < 10; tenth++) {
    const within = phases.filter(phase => Math.floor(phase * 10) === tenth).length;
    assert.ok(within >= 1 && within <= 12, `${within} in tenth ${tenth}`);
  }
});

test('a server that could not be probed is due again after 15 s, or after its interval if the interval is shorter', () => {
  assert.deepEqual([againAt(start, MINUTE), againAt(start, 2_000)], [start + 15_000, start + 2_000]);
});

describe('repeated probes of a server that does not answer', () => {
  const pauses = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5];

  test('come after pauses that grow from one to five seconds', () => {
    for (let i = 0; i < 100; i++) {
      const server = { gameId: 'csgo', address: `1.2.3.${i}:27015` };
      for (const [looked, seconds] of pauses.entries()) {
        const pause = nextLook(server, looked + 1, start) - start;
        assert.ok(pause >= seconds * 1000 && pause <= seconds * 1250, `${pause} ms after look ${looked + 1}`);
      }
      assert.ok(nextLook(server, 1_000, start) - start <= 6_250);
    }
  });

  test('are spread over time if many servers stopped answering together', () => {
    const times = Array.from({ length: 50 }, (_, i) =>
      nextLook({ gameId: 'csgo', address: `1.2.3.4:${27_000 + i}` }, 16, start),
    );
    assert.ok(new Set(times.map(time => Math.floor(time / 100))).size > 8);
  });
});

describe('the probe interval of an offline server', () => {
  const seconds = (silentSeconds: number, label: Label = 'none', probeIntervalMs = MINUTE): number =>
    offlineIntervalMs(silentSeconds * 1000, label, probeIntervalMs) / 1000;

  test('is the normal interval, limited to 1 to 10 s, in the first 15 minutes without an answer', () => {
    const cases: [number, number][] = [
      [500, 1],
      [5_000, 5],
      [MINUTE, 10],
      [600_000, 10],
    ];
    for (const label of ['none', 'filtered'] as const)
      for (const [probeIntervalMs, expected] of cases)
        for (const silent of [0, 60, 899]) assert.equal(seconds(silent, label, probeIntervalMs), expected);
  });

  test('is a third of the time since the last answer if this time is 15 minutes or longer', () => {
    assert.deepEqual(
      [900, 1_800, 3_600, 7_200, 86_400].map(silent => seconds(silent)),
      [300, 600, 1_200, 2_400, 3_600],
    );
    assert.equal(seconds(900, 'none', 10_000), 300);
    assert.equal(seconds(86_400, 'none', 10_000), 600);
  });

  test('is 15 to 30 normal intervals if a firewall has filtered the probes for 15 minutes', () => {
    assert.deepEqual(
      [900, 3_600, 86_400].map(silent => seconds(silent, 'filtered')),
      [900, 1_200, 1_800],
    );
  });

  test('is a whole number of milliseconds', () => {
    for (let silent = 0; silent < 2_000_000; silent += 997)
      assert.ok(Number.isInteger(offlineIntervalMs(silent, 'none', MINUTE)), `${silent}`);
  });

  test('is short only while mayReturnSoon() returns true: in the first 15 minutes after the last answer', () => {
    assert.deepEqual([0, 899_999, 900_000].map(mayReturnSoon), [true, true, false]);
  });
});
