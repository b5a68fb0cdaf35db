import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { historyRange, MAX_STEPS } from '../../../core/history/history-range.ts';
import { ServiceError } from '../../../proto/service-error.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 4, 20, 13, 7, 31, 250);
const retention = { samplesMs: DAY, quartersMs: 30 * DAY };

function rangeOf(wish: { from?: number; to?: number; step?: string }) {
  return historyRange({ from: wish.from, to: wish.to, step: wish.step ?? '' }, retention, NOW);
}

function fault(wish: Parameters<typeof rangeOf>[0]): ServiceError {
  try {
    rangeOf(wish);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error;
  }
  return assert.fail('the range is accepted');
}

describe('the range of a history', () => {
  it('is the last 24 hours in steps of a minute if the request contains no time and no step', () => {
    const { from, to, stepMs } = rangeOf({});
    assert.equal(new Date(from).toISOString(), '2026-05-19T13:07:00.000Z');
    assert.equal(new Date(to).toISOString(), '2026-05-20T13:08:00.000Z');
    assert.equal(stepMs, MINUTE);
  });

  it('begins 24 hours before its end if the request contains only the end', () => {
    const { from, to } = rangeOf({ to: NOW - 3 * DAY, step: '1h' });
    assert.equal(new Date(from).toISOString(), '2026-05-16T13:00:00.000Z');
    assert.equal(new Date(to).toISOString(), '2026-05-17T14:00:00.000Z');
  });

  it('is extended so that its begin and its end are multiples of the step, counted from 1970', () => {
    const { from, to, stepMs } = rangeOf({ from: NOW - DAY, to: NOW, step: '7d' });
    assert.equal(stepMs, 7 * DAY);
    assert.equal(from % stepMs, 0);
    assert.equal(to % stepMs, 0);
    assert.ok(from <= NOW - DAY && to >= NOW);
  });

  it('is divided into the shortest possible steps if the request contains no step', () => {
    const stepOf = (ms: number) => rangeOf({ from: NOW - ms }).stepMs;
    assert.equal(stepOf(DAY), MINUTE);
    assert.equal(stepOf(2 * DAY), 15 * MINUTE);
    assert.equal(stepOf(30 * DAY), 30 * MINUTE);
    assert.equal(stepOf(31 * DAY), DAY);
    assert.equal(stepOf(3_000 * DAY), 7 * DAY);
  });

  it('can have any step that is a multiple of a minute, such as 120s, 15m, 1h or 1d', () => {
    for (const [step, seconds] of Object.entries({
      '60s': 60,
      '120s': 120,
      '900s': 900,
      '15m': 900,
      '1h': 3600,
      '1d': 86400,
    })) {
      assert.equal(rangeOf({ step }).stepMs, seconds * 1_000, step);
    }
  });

  it('is refused if its step is longer than ten years, or not a multiple of a minute', () => {
    for (const step of [
      '0s',
      '1s',
      '90s',
      '-60s',
      '60',
      's',
      '1.5h',
      '1w',
      '60S',
      ' 60s',
      '99999999999d',
      '1e3s',
      '3661d',
      '999999999d',
    ]) {
      const { code, message, details } = fault({ step });
      assert.equal(code, 'QUERY_1', step);
      assert.match(message, /multiple of a minute/);
      assert.equal(details.violations?.[0]?.path, 'step');
    }
  });

  it('is refused if it has more than 2000 steps, and the error contains the shortest possible step', () => {
    const { code, message } = fault({ from: NOW - 30 * DAY, step: '60s' });
    assert.equal(code, 'QUERY_1');
    assert.match(message, /43\d\d\d steps.* at most 2000.* at least 1800s/);
    const from = NOW - MAX_STEPS * MINUTE;
    assert.equal(rangeOf({ from: Math.ceil(from / MINUTE) * MINUTE, step: '60s' }).stepMs, MINUTE);
  });

  it('is refused if it is empty, or outside the years 1970 to 9999', () => {
    assert.equal(fault({ from: NOW, to: NOW }).details.violations?.[0]?.path, 'from');
    assert.equal(fault({ from: -1 }).details.violations?.[0]?.path, 'from');
    assert.equal(fault({ to: 253_402_300_800_000 }).details.violations?.[0]?.path, 'to');
    assert.equal(fault({ to: Number.NaN }).code, 'QUERY_1');
  });
});
