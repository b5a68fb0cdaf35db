import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uptimeWindows, windowBegin } from '../../../core/history/uptime-window.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 4, 20, 13, 7, 31, 250);

describe('the time windows of an uptime request', () => {
  it('are 24 hours, 7 days, 30 days and 365 days if the request contains no windows', () => {
    const windows = uptimeWindows('');
    assert.deepEqual(
      windows.map(({ text, ms }) => [text, ms / DAY]),
      [
        ['24h', 1],
        ['7d', 7],
        ['30d', 30],
        ['365d', 365],
      ],
    );
  });

  it('keep the order and the spelling of the request', () => {
    assert.deepEqual(
      uptimeWindows('2d,1h,02d').map(({ text }) => text),
      ['2d', '1h', '02d'],
    );
  });

  it('must each be a number of hours or days, up to ten years', () => {
    for (const list of ['0h', '24', 'h', '1m', '1d,', ',', '1d;2d', '-1d', '3661d', '1d, 2d', '1.5d']) {
      assert.throws(() => uptimeWindows(list), { code: 'QUERY_1' }, list);
    }
  });

  it('are refused if the request contains more than ten windows', () => {
    assert.equal(uptimeWindows('1d,'.repeat(9).concat('1d')).length, 10);
    assert.throws(() => uptimeWindows('1d,'.repeat(10).concat('1d')), /more than 10/);
  });

  it('begin at a full minute, quarter hour or day, depending on the length of the window', () => {
    const retention = { samplesMs: DAY, quartersMs: 30 * DAY };
    const beginOf = (days: number) => new Date(windowBegin(days * DAY, retention, NOW).begin).toISOString();
    assert.equal(beginOf(1), '2026-05-19T13:07:00.000Z');
    assert.equal(beginOf(30), '2026-04-20T13:00:00.000Z');
    assert.equal(beginOf(31), '2026-04-19T00:00:00.000Z');
  });
});
