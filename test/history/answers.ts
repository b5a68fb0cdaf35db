import type { HistoryReader, RecordedServer } from '../../core/history/history-reader.ts';
import type { Figures } from '../../core/history/history-store.ts';
import { uptimeWindows } from '../../core/history/uptime-window.ts';
import type { ReferenceHistory } from './reference.ts';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;

/**
 * Allowed error of a mean number of players. gsq rounds each mean to a multiple of 1/8, which changes it by at most
 * 1/16.
 */
const ROUNDED = 1 / 16;
/**
 * Allowed error of the mean number of players of a day. The core can round twice: first the mean of each quarter hour,
 * and then the mean of the day.
 */
const ROUNDED_TWICE = 1 / 8;

/**
 * The history ranges that the test requests. `stepMs`: length of a step. `lengthMs`: length of the range. `mean`:
 * allowed error of the mean number of players.
 */
const RANGES = [
  { stepMs: MINUTE, lengthMs: DAY, mean: 0 },
  { stepMs: QUARTER, lengthMs: 30 * DAY, mean: ROUNDED },
  { stepMs: DAY, lengthMs: 365 * DAY, mean: ROUNDED_TWICE },
];
const WINDOWS = uptimeWindows('24h,7d,30d,365d');
const MEAN_OF_WINDOW: Readonly<Record<string, number>> = { '24h': 0, '7d': ROUNDED, '30d': ROUNDED };
/** Allowed rounding error of the sum `playerMs`: each player count times the milliseconds for which it lasted. */
const FLOATING = 1;

/**
 * Compares gsq's answers about the history of servers with the answers of a reference history, which keeps all samples.
 */
export class Answers {
  /** Number of comparisons so far: one for each time step of a history, and one for each uptime window. */
  compared = 0;
  /** Descriptions of the differences between gsq's answers and the reference history, one line each. */
  readonly faults: string[] = [];

  /**
   * Gets all history ranges and uptime windows of a server from gsq at the time `now`. Compares the answers with those
   * of the reference history.
   */
  async compare(
    reader: HistoryReader,
    server: RecordedServer,
    reference: ReferenceHistory,
    now: number,
  ): Promise<void> {
    for (const { stepMs, lengthMs, mean } of RANGES) {
      const from = Math.ceil((now - lengthMs) / stepMs) * stepMs;
      const to = Math.ceil(now / stepMs) * stepMs;
      const steps = await reader.steps(server, { from, to, stepMs });
      const expected = reference.spans(from, stepMs, steps.length, now);
      for (const [i, each] of expected.entries())
        this.#compare(`${server.key}, step of ${stepMs / 1_000} s`, steps[i], each, mean, now);
    }
    for (const window of WINDOWS) {
      const found = await reader.window(server, window);
      const [expected] = reference.spans(found.from, found.to - found.from, 1, now);
      const mean = MEAN_OF_WINDOW[window.text] ?? ROUNDED_TWICE;
      if (expected) this.#compare(`${server.key}, window ${window.text}`, found, expected, mean, now);
    }
  }

  #compare(place: string, found: Figures | undefined, expected: Figures, mean: number, now: number): void {
    this.compared++;
    const off = (['knownMs', 'onlineMs', 'countedMs', 'playersMax'] as const).filter(
      name => (found?.[name] ?? 0) !== expected[name],
    );
    const players = Math.abs((found?.playerMs ?? 0) - expected.playerMs);
    if (off.length === 0 && players <= mean * expected.countedMs + FLOATING) return;
    const times = [expected.from, expected.to, now].map(at => new Date(at).toISOString());
    const values = [...off, 'playerMs' as const].map(
      name => `${name} ${found?.[name]} instead of ${expected[name]}`,
    );
    this.faults.push(`${place} from ${times[0]} to ${times[1]}, asked at ${times[2]}: ${values.join(', ')}`);
  }
}
