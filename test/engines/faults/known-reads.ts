import { setTimeout as pause } from 'node:timers/promises';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { InsertLoad } from '../../faults/insert-load.ts';
import type { Trial } from '../../faults/trial.ts';
import type { CoreSeat } from './fleet.ts';
import { LongestGap } from './longest-gap.ts';
import type { Owners } from './owners.ts';

/** Number of servers (pairs of game and address) in each fetch. The same core owns all these servers. */
const PAIRS = 5;
/**
 * Time between two fetches of servers that the same core owns, in milliseconds. A fetch does not wait for the answer to
 * the previous fetch.
 */
const BETWEEN_MS = 100;
/** Maximum number of concurrent fetches for the servers of one core. */
const MOST_WAITING = 20;
/**
 * If the list of known servers contains more than twice this number of servers, the test shortens it to this number.
 * The servers that gsq inserted last stay in the list.
 */
const KEPT_PAIRS = 5_000;

/**
 * A core and the fetches of its servers. `gap`: longest time without an answer. `pairs`: the servers that the core
 * owned before the latest fault. `waiting`: number of unanswered fetches.
 */
interface Group {
  readonly core: CoreSeat;
  readonly gap: LongestGap;
  pairs: string[];
  waiting: number;
}

/** A period with one fault. Each call of `restart` begins a new period. `victims`: the cores that the fault affects. */
interface Period {
  victims: readonly CoreSeat[];
}

/**
 * Fetches known servers during a fault test. Measures the longest time without an answer for the servers of each core,
 * and counts the failed fetches. Sends the fetches to cores that the current fault does not affect.
 */
export class KnownReads {
  readonly #trial: Trial;
  readonly #groups: readonly Group[];
  readonly #entries: readonly { core: CoreSeat; load: InsertLoad }[];
  readonly #loops: Promise<void>;
  /**
   * Number of answered fetches. Leaves out a fetch if a fault affected the owner of its servers, or the core that
   * received the fetch.
   */
  answered = 0;
  /** Number of fetches that got an error, or no answer within 20 s. Leaves out fetches that a fault could affect. */
  failed = 0;
  #known: string[] = [];
  #period: Period = { victims: [] };
  #isStopped = false;

  constructor(trial: Trial, entries: readonly { core: CoreSeat; load: InsertLoad }[]) {
    this.#trial = trial;
    this.#entries = entries;
    this.#groups = entries.map(({ core }) => ({ core, gap: new LongestGap(), pairs: [], waiting: 0 }));
    this.#loops = Promise.all(this.#groups.map(group => this.#ask(group))).then(() => {});
  }

  /**
   * Adds pairs of game and address whose insert gsq has acknowledged. The fetches choose their servers from these
   * pairs.
   */
  note(pairs: readonly string[]): void {
    this.#known.push(...pairs);
    if (this.#known.length > 2 * KEPT_PAIRS) this.#known = this.#known.slice(-KEPT_PAIRS);
  }

  /**
   * Call this before a fault. Begins a new measurement of the longest time without an answer. `owners`: the cores that
   * now own the buckets (groups of servers).
   */
  restart(owners: Owners): void {
    this.#period = { victims: [] };
    const ownerOf = (pair: string) => owners.ofBucket[bucketOfServer(`${this.#trial.game} ${pair}`)];
    for (const group of this.#groups) {
      // In the previous measurement, the test perhaps fetched no servers of this core, so the core had nothing to
      // answer. Then the duration of that measurement must not count as a time without an answer.
      if (group.pairs.length === 0) group.gap.note();
      group.pairs = this.#known.filter(pair => ownerOf(pair) === group.core.member);
      group.gap.restart();
    }
  }

  /** Records the cores that a fault will affect (`victims`). Call this before the fault begins. */
  strike(victims: readonly CoreSeat[]): void {
    this.#period.victims = victims;
  }

  /**
   * Longest time without an answer for the servers of a core, in milliseconds. Considers only cores that the current
   * fault does not affect.
   */
  get ofSurvivors(): number {
    return this.#longest(({ core }) => !this.#period.victims.includes(core));
  }

  /**
   * Longest time without an answer for the servers of a core, in milliseconds. Considers only cores that the current
   * fault affects. 0 if the fault affects no core.
   */
  get ofVictims(): number {
    return this.#longest(({ core }) => this.#period.victims.includes(core));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loops;
    await Promise.all(this.#entries.map(({ load }) => load.stop()));
  }

  #longest(which: (group: Group) => boolean): number {
    return Math.max(0, ...this.#groups.filter(which).map(({ gap }) => gap.current));
  }

  async #ask(group: Group): Promise<void> {
    const { random } = this.#trial;
    while (!this.#isStopped || group.waiting > 0) {
      await pause(BETWEEN_MS);
      const period = this.#period;
      const spared = this.#entries.filter(({ core }) => !period.victims.includes(core));
      const entries = spared.length > 0 ? spared : this.#entries;
      const entry = entries[random(entries.length)];
      const { pairs } = group;
      if (this.#isStopped || !entry || pairs.length === 0 || group.waiting >= MOST_WAITING) continue;
      const asked = Array.from({ length: PAIRS }, () => pairs[random(pairs.length)] ?? '');
      group.waiting++;
      void entry.load.fetch([...new Set(asked)]).then(isAnswered => {
        group.waiting--;
        if (isAnswered) group.gap.note();
        // Does not count a fetch if the fault at its start, or the fault at its end, affected one of its cores.
        const victims = [...period.victims, ...this.#period.victims];
        if (victims.includes(group.core) || victims.includes(entry.core)) return;
        if (isAnswered) this.answered++;
        else this.failed++;
      });
    }
  }
}
