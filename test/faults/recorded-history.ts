import { readFileSync } from 'node:fs';
import type { Figures } from '../../core/history/history-store.ts';
import { decodeHour, sealedHour } from '../../core/history/hour-coding.ts';
import { rollUp, sumFigures } from '../../core/history/rollup.ts';
import type { Sample } from '../../core/history/sample.ts';
import { DAY_MS, QUARTER_MS } from '../../core/history/units.ts';
import type { OpenedStore } from '../../core/open-store.ts';

/** Game id of all servers in this test of the history. */
export const GAME = 'csgo';
/** Number of servers whose samples the test records in the history. */
export const RECORDED_SERVERS = 30;
/** Settings that make the core keep all samples of the history during the test. */
export const SETTINGS = { GSQ_HISTORY_MINUTES: '60d' };
/** Start of the simulated time, Unix ms. The log gives the time of each sample in seconds since then. */
export const START = Date.UTC(2026, 5, 29, 20);

/**
 * Maximum time until a change of a server record is written to disk, ms. A kill of the process may lose samples that
 * are younger than this.
 */
const BEHIND_MS = 300_000;
/** Maximum difference between the real time and the stored time of a sample, ms. */
const LATE_MS = 16_000;

/** Returns the address of the simulated server with this number. */
export function addressOf(i: number): string {
  return `9.0.${i}.7:27015`;
}

/**
 * The logged samples of one server, keyed by the seconds since `START`. `durable`: true if a kill of the process must
 * not lose the sample.
 */
type Logged = Map<number, { durable: boolean }>;

/** Returns the samples in the log of `recording-core.ts`, keyed by server. */
function readLog(path: string): Map<string, Logged> {
  const servers = new Map<string, Logged>();
  let waiting: { durable: boolean; at: number }[] = [];
  // The test appends the line `killed` to the log after each kill. The samples in `waiting` were perhaps not on disk
  // yet. They are dropped from `waiting`, so that a later `flushed` line cannot mark them as `durable`.
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const flushed = /^flushed (\d+)$/.exec(line);
    if (flushed) {
      const until = Number(flushed[1]) - BEHIND_MS;
      for (const sample of waiting) if (sample.at <= until) sample.durable = true;
      waiting = waiting.filter(({ durable }) => !durable);
    } else if (line === 'killed') waiting = [];
    else if (line !== '') {
      const [, key = '', second = ''] = /^(.+) (\d+)$/.exec(line) ?? [];
      const sample = { durable: false, at: START + Number(second) * 1_000 };
      const samples: Logged = servers.get(key) ?? new Map();
      servers.set(key, samples.set(Number(second), sample));
      waiting.push(sample);
    }
  }
  return servers;
}

/**
 * Compares the samples in a data directory with the log of all recorded samples, and with the samples that the previous
 * call of `check` found. None of the samples that were found before may be missing.
 */
export class RecordedHistory {
  /** Descriptions of the faults that the checks found in the stored history, one line each. */
  readonly faults: string[] = [];
  /**
   * Numbers of logged samples in the last call of `check`: all (`logged`), those on disk before the kill (`durable`),
   * and those missing in the data directory (`lost`). No durable sample may be lost.
   */
  figures = { logged: 0, durable: 0, lost: 0 };
  /** The samples that the last check found in the data directory, as seconds since `START`, keyed by server. */
  #before = new Map<string, Set<number>>();

  /** Compares all stored samples with the log of all recorded samples. `now`: time of the check, Unix ms. */
  async check(opened: OpenedStore, logPath: string, now: number): Promise<void> {
    this.figures = { logged: 0, durable: 0, lost: 0 };
    for (const [key, logged] of readLog(logPath)) {
      const samples = await this.#samples(opened, key, now);
      const found = new Set(samples.map(({ players }) => players ?? -1));
      this.#checkSamples(key, samples, logged);
      for (const second of this.#before.get(key) ?? [])
        if (!found.has(second))
          this.faults.push(`${key}: the sample of second ${second} was there, and is lost`);
      for (const [second, { durable }] of logged) {
        this.figures.logged++;
        if (durable) this.figures.durable++;
        if (found.has(second)) continue;
        this.figures.lost++;
        if (durable) this.faults.push(`${key}: the sample of second ${second} was durable, and is lost`);
      }
      this.#before.set(key, found);
    }
    const { corrupt, damaged } = opened.history.counters;
    if (corrupt + damaged > 0) this.faults.push(`${corrupt} entries and ${damaged} directories are torn`);
  }

  /**
   * Compares each stored daily summary with sums over the samples of the same day. Returns the number of compared
   * days.
   */
  async checkDays(opened: OpenedStore, now: number): Promise<number> {
    let days = 0;
    for (const key of this.#before.keys()) {
      const samples = await this.#samples(opened, key, now);
      for (const day of await opened.history.store.days(key, START - DAY_MS, now)) {
        days++;
        const quarters = rollUp(samples, day.from, QUARTER_MS, DAY_MS / QUARTER_MS);
        const expected: Figures | undefined = sumFigures(quarters, day.from, day.to);
        const isSame =
          day.knownMs === expected?.knownMs &&
          day.countedMs === expected.countedMs &&
          day.playersMax === expected.playersMax;
        if (!isSame)
          this.faults.push(`${key}: ${JSON.stringify(day)} instead of ${JSON.stringify(expected)}`);
      }
    }
    return days;
  }

  /**
   * Returns all stored samples of a server: those in the history, and those of the unfinished hour. The unfinished hour
   * is in the field `openHour` of the server record. This field is ignored if the history has the same or a later hour.
   */
  async #samples({ store, history }: OpenedStore, key: string, now: number): Promise<Sample[]> {
    const hours = await history.store.hours(key, START - DAY_MS, now);
    const [record] = store.getMany([key]);
    if (!record) this.faults.push(`${key}: the server is lost`);
    const open = record && record.openHour.length > 0 ? sealedHour(record.openHour) : undefined;
    const stored = hours.flatMap(decodeHour);
    const own = open && !hours.some(({ hour }) => hour >= open.hour) ? decodeHour(open) : [];
    return [...stored, ...own];
  }

  #checkSamples(key: string, samples: readonly Sample[], logged: Logged): void {
    let before = -1;
    for (const { at, state, players = -1 } of samples) {
      if (players <= before)
        this.faults.push(`${key}: the sample of second ${players} comes after ${before}`);
      before = players;
      const isTorn = state !== 'online' || Math.abs(at - START - players * 1_000) > LATE_MS;
      if (isTorn || !logged.has(players))
        this.faults.push(
          `${key}: a sample of ${new Date(at).toISOString()} with ${players} players was never made`,
        );
    }
  }
}
