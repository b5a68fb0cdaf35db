import type { Figures } from '../../../core/history/history-store.ts';
import type { Sample } from '../../../core/history/sample.ts';

/** A sample, and the span of time (Unix ms) in which the sample counts as the status of the server. */
interface Held {
  readonly sample: Sample;
  readonly from: number;
  readonly to: number;
}

/**
 * Reference for tests: a simple history of one server. It keeps all samples, and computes each sum from all samples.
 */
export class NaiveHistory {
  readonly samples: Sample[] = [];
  readonly insertedAt: number;

  constructor(insertedAt: number) {
    this.insertedAt = insertedAt;
  }

  /**
   * Returns the history figures (uptime and players) of a span of time, computed from all samples in it. Ignores
   * everything after the time `now`.
   */
  figures(from: number, to: number, now: number): Figures {
    const held = this.#held(from, to, now);
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

  #held(from: number, to: number, now: number): Held[] {
    const held: Held[] = [];
    let next: number | undefined;
    for (let i = this.samples.length - 1; i >= 0; i--) {
      const sample = this.samples[i] as Sample;
      if (sample.at < this.insertedAt || sample.at > now) continue;
      const begin = Math.max(sample.at, from);
      const end = Math.min(next ?? now, sample.at + sample.holdMs, now, to);
      if (begin < end) held.push({ sample, from: begin, to: end });
      next = sample.at;
    }
    return held;
  }
}

function duration(held: readonly Held[]): number {
  return held.reduce((sum, { from, to }) => sum + to - from, 0);
}
