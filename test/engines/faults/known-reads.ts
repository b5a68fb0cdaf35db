import { setTimeout as pause } from 'node:timers/promises';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { InsertLoad } from '../../faults/insert-load.ts';
import type { Trial } from '../../faults/trial.ts';
import type { CoreSeat } from './fleet.ts';
import { LongestGap } from './longest-gap.ts';
import type { Owners } from './owners.ts';

/** Number of pairs of game and address in each fetch. All of them are in buckets of one core. */
const PAIRS = 5;
/** Time between two fetches of pairs of the same core, in milliseconds. A fetch does not wait for the one before. */
const BETWEEN_MS = 100;
/** Maximum number of fetches of pairs of one core that wait for an answer. */
const MOST_WAITING = 20;
/** Number of known pairs, the newest ones, from which the fetches choose. */
const KEPT_PAIRS = 5_000;

/** The fetches of known servers whose buckets belonged to one core before the present fault. */
interface Group {
  readonly core: CoreSeat;
  readonly gap: LongestGap;
  pairs: string[];
  waiting: number;
}

/**
 * Fetches known servers all the time, separately for the buckets of each core, and measures the longest time without an
 * answer. It asks only cores that the present fault does not hit, if there are any, because a caller of a dead core has to
 * choose another one.
 */
export class KnownReads {
  readonly #trial: Trial;
  readonly #groups: readonly Group[];
  readonly #entries: readonly { core: CoreSeat; load: InsertLoad }[];
  readonly #loops: Promise<void>;
  #known: string[] = [];
  /** The cores that the present fault hits. */
  #victims: readonly CoreSeat[] = [];
  #isStopped = false;

  constructor(trial: Trial, entries: readonly { core: CoreSeat; load: InsertLoad }[]) {
    this.#trial = trial;
    this.#entries = entries;
    this.#groups = entries.map(({ core }) => ({ core, gap: new LongestGap(), pairs: [], waiting: 0 }));
    this.#loops = Promise.all(this.#groups.map(group => this.#ask(group))).then(() => {});
  }

  /** Notes pairs that gsq has acknowledged as inserted. */
  note(pairs: readonly string[]): void {
    this.#known.push(...pairs);
    if (this.#known.length > 2 * KEPT_PAIRS) this.#known = this.#known.slice(-KEPT_PAIRS);
  }

  /** Begins a new measurement before a fault. `owners`: the present owners of all buckets. */
  restart(owners: Owners): void {
    this.#victims = [];
    const ownerOf = (pair: string) => owners.ofBucket[bucketOfServer(`${this.#trial.game} ${pair}`)];
    for (const group of this.#groups) {
      // Until now no server was fetched for this group, so the time before is not a time without an answer.
      if (group.pairs.length === 0) group.gap.note();
      group.pairs = this.#known.filter(pair => ownerOf(pair) === group.core.member);
      group.gap.restart();
    }
  }

  /** Call this method before a fault that hits these cores. */
  strike(victims: readonly CoreSeat[]): void {
    this.#victims = victims;
  }

  /** Longest time without an answer for servers of buckets of the cores that the present fault does not hit, in ms. */
  get ofSurvivors(): number {
    return this.#longest(({ core }) => !this.#victims.includes(core));
  }

  /** The same for the cores that the present fault hits. 0 if it hits no core. */
  get ofVictims(): number {
    return this.#longest(({ core }) => this.#victims.includes(core));
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
      const spared = this.#entries.filter(({ core }) => !this.#victims.includes(core));
      const entries = spared.length > 0 ? spared : this.#entries;
      const load = entries[random(entries.length)]?.load;
      const { pairs } = group;
      if (this.#isStopped || !load || pairs.length === 0 || group.waiting >= MOST_WAITING) continue;
      const asked = Array.from({ length: PAIRS }, () => pairs[random(pairs.length)] ?? '');
      group.waiting++;
      void load.fetch([...new Set(asked)]).then(isAnswered => {
        group.waiting--;
        if (isAnswered) group.gap.note();
      });
    }
  }
}
