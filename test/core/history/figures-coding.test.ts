import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFigures, encodeFigures } from '../../../core/history/figures-coding.ts';
import type { Figures } from '../../../core/history/history-store.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const FROM = Date.UTC(2026, 0, 1);
const SLOTS = { from: FROM, count: 96, slotMs: 900_000 };

/**
 * Returns random history figures (uptime and players) for one day, one for each period of 15 minutes. In these figures,
 * every time is a whole number of seconds, and every mean is a multiple of 1/8.
 */
function randomDay(below: (most: number) => number): (Figures | undefined)[] {
  const kind = below(4);
  return Array.from({ length: SLOTS.count }, (_, i) => {
    if (below(kind === 0 ? 2 : 20) === 0) return undefined;
    const knownMs = below(4) === 0 ? 1_000 * (1 + below(900)) : SLOTS.slotMs;
    const onlineMs = below(5) === 0 ? 1_000 * below(knownMs / 1_000 + 1) : knownMs;
    const countedMs = below(6) === 0 ? 1_000 * below(onlineMs / 1_000 + 1) : onlineMs;
    const playersMax = countedMs > 0 ? below(kind === 1 ? 1_000_000 : 40) : 0;
    const mean = countedMs > 0 ? below(playersMax * 8 + 1) / 8 : 0;
    const from = FROM + i * SLOTS.slotMs;
    return {
      from,
      to: from + SLOTS.slotMs,
      knownMs,
      onlineMs,
      countedMs,
      playerMs: mean * countedMs,
      playersMax,
    };
  });
}

test('the uptime and player figures of a day are unchanged after encoding and decoding', () => {
  const below = randomNumbers(24);
  for (let round = 0; round < 300; round++) {
    const day = randomDay(below);
    assert.deepEqual(decodeFigures(SLOTS, encodeFigures(SLOTS, day)), day);
  }
});

test('the encoding of history figures (uptime and players) rounds times to whole seconds, and the mean number of players to 1/8', () => {
  const span = {
    from: FROM,
    to: FROM + SLOTS.slotMs,
    knownMs: 600_400,
    onlineMs: 600_400,
    countedMs: 600_400,
    playerMs: 3.3 * 600_400,
    playersMax: 4,
  };
  const [decoded] = decodeFigures(SLOTS, encodeFigures(SLOTS, [span]));
  assert.ok(decoded);
  assert.equal(decoded.knownMs, 600_000);
  assert.ok(Math.abs(decoded.playerMs / decoded.countedMs - 3.3) <= 1 / 16);
});

test('encoded history figures (uptime and players) take only a few bytes for a day without players and for a day without data', () => {
  const day = Array.from({ length: 96 }, (_, i): Figures => {
    const from = FROM + i * SLOTS.slotMs;
    const whole = { knownMs: SLOTS.slotMs, onlineMs: SLOTS.slotMs, countedMs: SLOTS.slotMs };
    return { from, to: from + SLOTS.slotMs, ...whole, playerMs: 0, playersMax: 0 };
  });
  assert.ok(encodeFigures(SLOTS, day).length <= 6);
  assert.ok(encodeFigures(SLOTS, []).length <= 2);
});

test('decodeFigures() throws no error if the bytes are damaged, and never returns negative times', () => {
  const below = randomNumbers(7);
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from({ length: below(120) }, () => below(256));
    for (const span of decodeFigures(SLOTS, bytes)) {
      if (!span) continue;
      assert.ok(span.knownMs >= 0 && span.onlineMs >= 0 && span.countedMs >= 0);
    }
  }
});
