import type { Sample } from '../../../core/history/sample.ts';

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const MOST_COUNT = 8_388_606;

function limited(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.min(count, MOST_COUNT);
}

/**
 * Returns a copy of a sample with the values that an encoded hour of samples would contain: numbers are limited to a
 * maximum, and `holdMs` is rounded. The time of the copy is `at` (Unix ms), which the caller has already rounded.
 */
function rounded(sample: Sample, at: number): Sample {
  return {
    at,
    state: sample.state,
    players: limited(sample.players),
    maxPlayers: limited(sample.maxPlayers),
    bots: Math.min(sample.bots, MOST_COUNT),
    holdMs: Math.min(Math.max(Math.ceil(sample.holdMs / 90_000), 1), 1_440) * 90_000,
  };
}

/**
 * Reference implementation of the encoder for one hour of samples. Rounds and drops samples as docs/decisions/0024
 * says.
 */
export class HourModel {
  readonly samples: Sample[];
  readonly #phase: number;

  /**
   * `phase`: time after each full hour at which the history begins a new one-hour block of samples for the server, ms.
   * For example, with a phase of 40 minutes, one block contains the samples from 13:40 to 14:40.
   */
  constructor(first: Sample, phase: number) {
    this.#phase = phase;
    this.samples = [rounded(first, Math.floor(first.at / SECOND_MS) * SECOND_MS)];
  }

  /**
   * True if the encoder must store this sample, and false if it must drop it. Ignores the maximum size of an encoded
   * hour.
   */
  accepts(sample: Sample): boolean {
    return this.#stored(sample) !== undefined;
  }

  /** Adds a sample to the list of expected samples. Does nothing if the tested code must drop this sample. */
  append(sample: Sample): void {
    const stored = this.#stored(sample);
    if (stored) this.samples.push(stored);
  }

  #stored(sample: Sample): Sample | undefined {
    const last = this.samples.at(-1) as Sample;
    const at = Math.floor(sample.at / SECOND_MS) * SECOND_MS;
    const end = Math.floor((last.at - this.#phase) / HOUR_MS + 1) * HOUR_MS + this.#phase;
    if (at - last.at < (sample.state === last.state ? 45 : -15) * SECOND_MS) return undefined;
    const predicted = last.at + last.holdMs / 1.5;
    const isPredicted = Math.abs(at - predicted) <= 15 * SECOND_MS && predicted < end;
    const time = isPredicted ? predicted : Math.max(at, last.at + SECOND_MS);
    return time < end ? rounded(sample, time) : undefined;
  }
}
