import { COUNTED, COUNTED_NOUNS, type Counted } from '../counted-prefixes.ts';
import type { SetDigest } from '../set-digest.ts';
import type { StoreState } from './store-state.ts';

/** Compares the loaded entries of a store with the state that the store recorded about itself. */
export class LoadCheck {
  readonly #recorded: StoreState | undefined;
  readonly #verified = new Set<Counted>();

  /**
   * `recorded`: the recorded state. Undefined if the store is empty or was written before stores had a state; then
   * every digest is accepted.
   */
  constructor(recorded: StoreState | undefined) {
    this.#recorded = recorded;
  }

  /**
   * Describes the difference between the loaded and the recorded entries of a prefix, as a sentence without its full
   * stop. Returns undefined if they are equal.
   */
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

  /**
   * Throws if a counted prefix was not verified, because the next write would record an empty digest for that prefix.
   */
  checkComplete(): void {
    const missing = COUNTED.filter(prefix => !this.#verified.has(prefix));
    if (missing.length > 0) throw new Error(`the entries of ${missing.join(', ')} were not verified`);
  }
}
