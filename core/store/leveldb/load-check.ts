import { COUNTED, COUNTED_NOUNS, type Counted } from '../counted-prefixes.ts';
import type { SetDigest } from '../set-digest.ts';
import type { StoreState } from './store-state.ts';

/** Compares what was loaded of a store with what the store recorded about itself. */
export class LoadCheck {
  readonly #recorded: StoreState | undefined;
  readonly #verified = new Set<Counted>();

  /** `recorded`: undefined if the store is empty or older than its state; then any digest is right. */
  constructor(recorded: StoreState | undefined) {
    this.#recorded = recorded;
  }

  /** What is wrong with the loaded entries of a prefix, a sentence without its full stop; undefined if they are right. */
  difference(prefix: Counted, loaded: SetDigest): string | undefined {
    this.#verified.add(prefix);
    const expected = this.#recorded?.digests[prefix];
    if (!expected || expected.equals(loaded)) return undefined;
    const missing = expected.count - loaded.count;
    const noun = COUNTED_NOUNS[prefix];
    if (missing > 0) return `${missing} of its ${expected.count} ${noun} are missing`;
    if (missing < 0) return `it holds ${loaded.count} ${noun}, and ${expected.count} were written`;
    return `some of its ${expected.count} ${noun} are others than were written`;
  }

  /** Throws if a prefix was not verified: its digest would be recorded as empty. */
  checkComplete(): void {
    const missing = COUNTED.filter(prefix => !this.#verified.has(prefix));
    if (missing.length > 0) throw new Error(`the entries of ${missing.join(', ')} were not verified`);
  }
}
