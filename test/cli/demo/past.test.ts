import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoPlan } from '../../../cli/demo/fleet-plan.ts';
import { madeUpPast } from '../../../cli/demo/past.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const NOW = Date.UTC(2026, 10, 26);
const DAY_MS = 86_400_000;

describe('the invented history of a demo server', () => {
  const random = randomNumbers(1);
  const pastOf = (mood: string | undefined) => {
    const plan = demoPlan.find(each => each.mood === mood);
    assert.ok(plan);
    return madeUpPast(plan, '127.0.0.1:1', NOW, () => random(1_000) / 1_000);
  };

  it('covers a week with one gap, and its samples are in chronological order', () => {
    const { samples, step_ms: step } = pastOf(undefined);
    const times = samples.map(([at]) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok((times[0] ?? 0) <= NOW - 7 * DAY_MS && (times.at(-1) ?? NOW) < NOW);
    const gaps = times.slice(1).filter((at, i) => at - (times[i] ?? 0) > 2 * step);
    assert.equal(gaps.length, 1);
  });

  it('always has the maximum player count for a full server, and has offline times for an unreliable server', () => {
    const full = pastOf('full');
    assert.ok(full.samples.every(([, players]) => players === null || players === full.max_players));
    const offline = pastOf('failing').samples.filter(([, players]) => players === null).length;
    assert.ok(offline > 20, `${offline} samples offline`);
  });
});
