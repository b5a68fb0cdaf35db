import type { Figures } from './history-store.ts';
import type { Sample } from './sample.ts';

/**
 * Returns the uptime and player figures of a span of time in which the status of the server is unknown: all sums are 0.
 */
export function unknownFigures(from: number, to: number): Figures {
  return { from, to, knownMs: 0, onlineMs: 0, countedMs: 0, playerMs: 0, playersMax: 0 };
}

type Sums = { -readonly [K in keyof Figures]: Figures[K] };

function addSpan(sums: Sums, { state, players }: Sample, ms: number): void {
  if (state === 'unknown') return;
  sums.knownMs += ms;
  if (state === 'offline') return;
  sums.onlineMs += ms;
  if (players === undefined) return;
  sums.countedMs += ms;
  sums.playerMs += players * ms;
  sums.playersMax = Math.max(sums.playersMax, players);
}

/**
 * Computes the uptime and player figures of a server for `count` adjacent spans of `slotMs` each, from the time `from`.
 * The result of a span is undefined if the status of the server was unknown in the whole span. `samples` must be sorted
 * by time. If the last sample before `from` is still valid at `from`, `samples` must include it.
 */
export function rollUp(
  samples: readonly Sample[],
  from: number,
  slotMs: number,
  count: number,
): (Figures | undefined)[] {
  const slots: (Sums | undefined)[] = Array.from({ length: count });
  for (const [i, sample] of samples.entries()) {
    const next = samples[i + 1]?.at ?? Number.POSITIVE_INFINITY;
    let at = Math.max(sample.at, from);
    const end = Math.min(next, sample.at + sample.holdMs, from + count * slotMs);
    while (at < end) {
      const slot = Math.floor((at - from) / slotMs);
      const begin = from + slot * slotMs;
      const to = Math.min(end, begin + slotMs);
      const sums = slots[slot] ?? { ...unknownFigures(begin, begin + slotMs) };
      slots[slot] = sums;
      addSpan(sums, sample, to - at);
      at = to;
    }
  }
  return slots.map(sums => (sums && sums.knownMs > 0 ? sums : undefined));
}

/**
 * Returns the sums of the uptime and player figures of adjacent time spans, and their highest number of players.
 * Returns undefined if the status of the server is unknown in all spans.
 */
export function sumFigures(
  spans: readonly (Figures | undefined)[],
  from: number,
  to: number,
): Figures | undefined {
  const sums: Sums = { ...unknownFigures(from, to) };
  for (const span of spans) {
    if (!span) continue;
    sums.knownMs += span.knownMs;
    sums.onlineMs += span.onlineMs;
    sums.countedMs += span.countedMs;
    sums.playerMs += span.playerMs;
    sums.playersMax = Math.max(sums.playersMax, span.playersMax);
  }
  return sums.knownMs > 0 ? sums : undefined;
}
