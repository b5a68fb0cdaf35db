/**
 * Result of one fetch of a pair of game and address. `inserted`: this fetch inserted it. `known`: it was already
 * tracked. `refused`: it is not tracked. `unknown`: no answer, so perhaps this fetch inserted it.
 */
export type Told = 'inserted' | 'known' | 'refused' | 'unknown';

/**
 * One fetch of one pair of game and address. `began` and `ended` are logical times: positions in the order of all
 * events.
 */
export interface Fetched {
  readonly began: number;
  readonly ended: number;
  readonly told: Told;
}

/**
 * A server (game and address) whose fetch results are impossible. The service lost the server, inserted it twice, or
 * reported it as known before any insert.
 */
export interface Violation {
  readonly pair: string;
  readonly what: string;
  readonly history: readonly Fetched[];
}

/**
 * Records the result of every fetch of every pair of game and address during a fault test. Checks the results
 * afterwards.
 */
export class History {
  readonly #areCallsRepeated: boolean;
  readonly #fetches = new Map<string, Fetched[]>();
  #clock = 0;

  /**
   * `areCallsRepeated`: true if several cores share the store. A core then repeats its call to another core after a
   * broken connection. If the first call inserted the server, the repeated call has the result `known`, although no
   * call has the result `inserted`.
   */
  constructor(areCallsRepeated = false) {
    this.#areCallsRepeated = areCallsRepeated;
  }

  /** Returns a new logical time, which is later than all logical times before. */
  moment(): number {
    return ++this.#clock;
  }

  /** Records the end of a fetch that began at the logical time `began`. */
  add(pair: string, began: number, told: Told): void {
    const fetched = { began, ended: this.moment(), told };
    const before = this.#fetches.get(pair);
    if (before) before.push(fetched);
    else this.#fetches.set(pair, [fetched]);
  }

  /** All pairs of game and address that were fetched at least once. */
  get pairs(): string[] {
    return [...this.#fetches.keys()];
  }

  /** All pairs of game and address with at least one acknowledged insert. */
  get acknowledged(): string[] {
    return [...this.#fetches].filter(([, all]) => all.some(isInserted)).map(([pair]) => pair);
  }

  /**
   * Returns the number of fetches with each result (inserted, known, refused or unknown), summed over all pairs of game
   * and address.
   */
  count(): Record<Told, number> {
    const counts = { inserted: 0, known: 0, refused: 0, unknown: 0 };
    for (const all of this.#fetches.values()) for (const { told } of all) counts[told]++;
    return counts;
  }

  /**
   * Returns the pairs of game and address whose history is impossible: inserted more than once, or missing after they
   * were tracked.
   */
  violations(): Violation[] {
    const found: Violation[] = [];
    for (const [pair, history] of this.#fetches) {
      const what = faultOf(history, this.#areCallsRepeated);
      if (what !== undefined) found.push({ pair, what, history });
    }
    return found;
  }
}

const isInserted = ({ told }: Fetched): boolean => told === 'inserted';

/**
 * Checks the results of all fetches of one server. Returns the fault if a result is impossible. A correct service
 * inserts the server once, and never removes it.
 */
function faultOf(history: readonly Fetched[], areCallsRepeated: boolean): string | undefined {
  const inserted = history.filter(isInserted);
  if (inserted.length > 1) return `acknowledged as inserted ${inserted.length} times`;
  const known = history.filter(({ told }) => told === 'known');
  const refused = history.filter(({ told }) => told === 'refused');
  const latest = Math.min(...known.map(({ ended }) => ended));
  const earliest = Math.max(...refused.map(({ began }) => began));
  const [told] = inserted;
  if (told) {
    if (earliest > told.ended) return 'lost: acknowledged as inserted, and missing afterwards';
    if (latest < told.began) return 'tracked before it was acknowledged as inserted: inserted twice';
  }
  if (earliest > latest) return 'lost: tracked, and missing afterwards';
  // A core repeats a call whose reply was lost. If the first call inserted the server, the second one returns `known`.
  if (told || known.length === 0 || areCallsRepeated) return undefined;
  const unknown = history.filter(({ told }) => told === 'unknown');
  // A fetch without an answer may have inserted the server.
  if (unknown.some(({ began }) => began < latest)) return undefined;
  return 'invented: tracked before anybody can have inserted it';
}
