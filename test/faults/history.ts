/**
 * What a caller was told of a pair by one fetch. `inserted`: this fetch inserted it. `known`: it was tracked. `refused`:
 * it was not, and is not now. `unknown`: no answer came, so it may be tracked from the call on, or never.
 */
export type Told = 'inserted' | 'known' | 'refused' | 'unknown';

/** One fetch of one pair: when it began and when its answer came, in the order of everything that happened. */
export interface Fetched {
  readonly began: number;
  readonly ended: number;
  readonly told: Told;
}

/** A pair whose history no service can have that keeps what it acknowledges. */
export interface Violation {
  readonly pair: string;
  readonly what: string;
  readonly history: readonly Fetched[];
}

/** Every fetch of every pair, with all that callers were told; who fetches writes it down here and judges nothing. */
export class History {
  readonly #fetches = new Map<string, Fetched[]>();
  #clock = 0;

  /** The next moment: later than all before it. */
  moment(): number {
    return ++this.#clock;
  }

  /** Writes down the end of a fetch that began at a moment. */
  add(pair: string, began: number, told: Told): void {
    const fetched = { began, ended: this.moment(), told };
    const before = this.#fetches.get(pair);
    if (before) before.push(fetched);
    else this.#fetches.set(pair, [fetched]);
  }

  /** Every pair that was ever fetched. */
  get pairs(): string[] {
    return [...this.#fetches.keys()];
  }

  /** Pairs that somebody was told to have inserted. */
  get acknowledged(): string[] {
    return [...this.#fetches].filter(([, all]) => all.some(isInserted)).map(([pair]) => pair);
  }

  /** How often callers were told what. */
  count(): Record<Told, number> {
    const counts = { inserted: 0, known: 0, refused: 0, unknown: 0 };
    for (const all of this.#fetches.values()) for (const { told } of all) counts[told]++;
    return counts;
  }

  /** The pairs that break the promise: inserted once, told to one, and there from then on. */
  violations(): Violation[] {
    const found: Violation[] = [];
    for (const [pair, history] of this.#fetches) {
      const what = faultOf(history);
      if (what !== undefined) found.push({ pair, what, history });
    }
    return found;
  }
}

const isInserted = ({ told }: Fetched): boolean => told === 'inserted';

/**
 * Looks for a moment at which the pair came to be tracked such that everything told of it is true: after what found it
 * missing began, before what found it ended, within the fetch that was told to have inserted it. Nothing takes a pair
 * away here, so there is one such moment at most. Undefined where there is one, or nothing to explain.
 */
function faultOf(history: readonly Fetched[]): string | undefined {
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
  if (told || known.length === 0) return undefined;
  const unknown = history.filter(({ told }) => told === 'unknown');
  if (unknown.some(({ began }) => began < latest)) return undefined;
  return 'invented: tracked before anybody can have inserted it';
}
