import { setImmediate as turn } from 'node:timers/promises';
import { clockAt } from '../core/clock.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { Answers } from './answers.ts';
import { Fleet } from './fleet.ts';
import { RecordedCore } from './recorded-core.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/**
 * Start of each simulation, Unix ms: an evening near the end of a month. Even a short simulation then includes the end
 * of a day and of a month.
 */
const START = Date.UTC(2026, 0, 30, 17);
/** Maximum random time, in seconds, that is added to each step of one second of the simulated clock. */
const STEP_S = 9;
/**
 * Time after a start of the core in which the test checks no answers, ms. The reason is that the core computes no daily
 * totals in the first 15 minutes.
 */
const START_GRACE = 16 * MINUTE;

/** Options of a simulation of the history. `checks`: how many times all answers are compared with the reference. */
export interface SimulationOptions {
  readonly directory: string;
  readonly servers: number;
  readonly days: number;
  readonly checks: number;
  readonly seed: number;
}

/** Result of a simulation of the history: one line for each error found, and counts of the simulated events. */
export interface SimulationReport {
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * Simulates servers for many days with the real store and history, and compares all answers of the history with a
 * reference history. Core and prober are sometimes down.
 */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #clock = clockAt(START);
  readonly #random: (below: number) => number;
  readonly #fleet: Fleet;
  readonly #answers = new Answers();
  readonly #figures = { restarts: 0, away: 0, checks: 0, rolledUp: 0 };
  readonly #faults: string[] = [];
  #core: RecordedCore;
  #startedAt = START;
  #restartAt = START + HOUR;
  #awayFrom = START + 9 * HOUR;
  #awayUntil = 0;

  private constructor(options: SimulationOptions, core: RecordedCore, fleet: Fleet) {
    this.#options = options;
    this.#random = randomNumbers(options.seed);
    this.#core = core;
    this.#fleet = fleet;
  }

  /** Runs a simulation of the history from its start to its end, and returns the report. */
  static async run(options: SimulationOptions): Promise<SimulationReport> {
    const fleet = new Fleet(options.servers, START, randomNumbers(options.seed + 1));
    const core = await openCore(options.directory, clockAt(START), fleet);
    await fleet.insertAll(core, START);
    await core.close();
    return new Simulation(options, core, fleet).#run();
  }

  async #run(): Promise<SimulationReport> {
    const { days, checks, directory } = this.#options;
    this.#core = await openCore(directory, this.#clock, this.#fleet);
    const end = START + days * DAY;
    const checkEvery = (days * DAY) / checks;
    let checkAt = START + checkEvery;
    let nextTurn = 0;
    let nextHour = 0;
    while (this.#clock.at < end || checkAt <= end) {
      this.#clock.at += SECOND + this.#random(STEP_S * SECOND);
      const now = this.#clock.at;
      if (!this.#isAway(now)) this.#fleet.probeDue(this.#core, now);
      if (now >= nextTurn) {
        nextTurn = now + 10 * MINUTE;
        await this.#fleet.insertAndRemove(this.#core, now);
        await turn();
      }
      if (now >= nextHour) {
        nextHour = now + HOUR - this.#random(20 * MINUTE);
        await this.#core.settle();
      }
      if (now >= this.#restartAt) await this.#restart();
      if (now >= checkAt && now - this.#startedAt > START_GRACE) {
        checkAt += checkEvery;
        await this.#check();
      }
    }
    await this.#close();
    return {
      faults: [...this.#faults, ...this.#fleet.faults, ...this.#answers.faults],
      figures: { ...this.#fleet.counts, ...this.#figures, compared: this.#answers.compared },
    };
  }

  async #close(): Promise<void> {
    const { corrupt, damaged, failures, rolledUp } = this.#core.history.counters;
    if (corrupt + damaged + failures > 0) this.#faults.push('the history counts damaged or failed entries');
    this.#figures.rolledUp += rolledUp;
    await this.#core.close();
  }

  async #check(): Promise<void> {
    this.#figures.checks++;
    await this.#core.settle();
    await this.#fleet.compare(this.#core, this.#answers, this.#clock.at);
  }

  /** True while no prober is running in the simulation. */
  #isAway(now: number): boolean {
    if (now < this.#awayFrom) return false;
    if (this.#awayUntil <= this.#awayFrom) {
      this.#awayUntil = this.#awayFrom + 10 * MINUTE + this.#random(7 * HOUR);
      this.#figures.away++;
    }
    if (now < this.#awayUntil) return true;
    this.#awayFrom = now + this.#random(4 * DAY);
    return false;
  }

  /**
   * Stops the core, and starts it again after a random time: at most a minute in half of the cases, 6 hours in 40 %,
   * and 40 hours in 10 %.
   */
  async #restart(): Promise<void> {
    await this.#close();
    const kind = this.#random(10);
    const longest = kind < 5 ? MINUTE : kind < 9 ? 6 * HOUR : 40 * HOUR;
    this.#clock.at += SECOND + this.#random(longest);
    this.#startedAt = this.#clock.at;
    this.#restartAt = this.#clock.at + this.#random(3 * DAY);
    this.#core = await openCore(this.#options.directory, this.#clock, this.#fleet);
    this.#figures.restarts++;
  }
}

function openCore(
  directory: string,
  clock: { at: number; now: () => number },
  fleet: Fleet,
): Promise<RecordedCore> {
  return RecordedCore.open({ directory, clock, onSealed: (key, hour) => fleet.addHour(key, hour) });
}
