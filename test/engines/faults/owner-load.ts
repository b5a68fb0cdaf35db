import { setTimeout as pause } from 'node:timers/promises';
import type { CoreProcess } from '../../faults/core-process.ts';
import type { InsertLoad } from '../../faults/insert-load.ts';
import type { Trial } from '../../faults/trial.ts';
import { LongestGap } from './longest-gap.ts';

const FRESH = 5;
const PAUSE_MS = 50;
/** Number of pairs of game and address in each fetch of the reader, which fetches only known pairs. */
const KNOWN = 5;

/**
 * The load of a fault campaign: callers that insert and fetch servers on the core that owns the store. After a
 * take-over, new callers begin with the new owner. The callers of the previous owner only finish the fetches that they
 * have begun, so that the history also contains late answers.
 */
export class OwnerLoad {
  /** Longest time without an acknowledged insert of these callers. */
  readonly inserts = new LongestGap();
  /** Longest time without an answer to a fetch of known pairs of game and address. */
  readonly reads = new LongestGap();
  /** Number of acknowledged inserts of all callers. */
  acknowledged = 0;
  readonly #trial: Trial;
  readonly #known: string[] = [];
  readonly #endings: Promise<void>[] = [];
  #stopPresent: () => void = () => {};

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  /** Sends all later fetches to `core`, the new owner. Resolves when its callers have begun. */
  async follow(core: CoreProcess): Promise<void> {
    this.#stopPresent();
    const load = await this.#trial.load(core, {
      fresh: FRESH,
      pauseMs: PAUSE_MS,
      goesOn: true,
      onInserted: pairs => {
        this.inserts.note();
        this.acknowledged += pairs.length;
        for (const pair of pairs) this.#known.push(pair);
      },
    });
    let isPresent = true;
    const reader = this.#read(load, () => isPresent);
    this.#stopPresent = () => {
      isPresent = false;
      // The reader uses the client of the load, which `stop` closes, so the reader must end first.
      this.#endings.push(Promise.all([reader, load.finish()]).then(() => load.stop()));
    };
  }

  /** Stops all callers of the load. Resolves when all their fetches have ended. */
  async stop(): Promise<void> {
    this.#stopPresent();
    await Promise.all(this.#endings);
  }

  async #read(load: InsertLoad, isPresent: () => boolean): Promise<void> {
    while (isPresent()) {
      const { length } = this.#known;
      const asked = Array.from({ length: KNOWN }, () => this.#known[this.#trial.random(length)] ?? '');
      if (length > 0 && (await load.fetch([...new Set(asked)]))) this.reads.note();
      await pause(PAUSE_MS);
    }
  }
}
