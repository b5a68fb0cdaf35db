import type { Figures } from '../../../core/history/history-store.ts';
import type { Sample } from '../../../core/history/sample.ts';

/** A span of time in which one sample counts, Unix ms. */
interface Held {
  readonly sample: Sample;
  readonly from: number;
  readonly to: number;
}

/**
 * Reference for tests, the plainest possible history of one server: keeps all samples, and sums over all of them for
 * each question.
 */
export class NaiveHistory {
  readonly samples: Sample[] = [];
  readonly insertedAt: number;

  constructor(insertedAt: number) {
    this.insertedAt = insertedAt;
  }

  /** Returns the sums over a span of time, from what is known at the time `now`. */
  figures(from: number, to: number, now: number): Figures {
    const held = this.#held(now).flatMap(each => {
      const begin = Math.max(each.from, from);
      const end = Math.min(each.to, to);
      return begin < end ? [{ ...each, from: begin, to: end }] : [];
    });
    const known = held.filter(({ sample }) => sample.state !== 'unknown');
    const online = held.filter(({ sample }) => sample.state === 'online');
    const counted = online.filter(({ sample }) => sample.players !== undefined);
    return {
      from,
      to,
      knownMs: duration(known),
      onlineMs: duration(online),
      countedMs: duration(counted),
      playerMs: counted.reduce((sum, { sample, from, to }) => sum + (sample.players ?? 0) * (to - from), 0),
      playersMax: Math.max(0, ...counted.map(({ sample }) => sample.players ?? 0)),
    };
  }

  #held(now: number): Held[] {
    const samples = this.samples.filter(({ at }) => at >= this.insertedAt && at <= now);
    return samples.map((sample, i) => ({
      sample,
      from: sample.at,
      to: Math.min(samples[i + 1]?.at ?? now, sample.at + sample.holdMs, now),
    }));
  }
}

function duration(held: readonly Held[]): number {
  return held.reduce((sum, { from, to }) => sum + to - from, 0);
}
