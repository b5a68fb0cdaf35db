import { COUNTED, COUNTED_NOUNS, type Counted } from '../counted-prefixes.ts';
import type { SetDigest } from '../set-digest.ts';
import type { StoreState } from './store-state.ts';

/** Compares the loaded entries of a store with the state that the store recorded about itself. */
export class LoadCheck {
  readonly #recorded: StoreState | undefined;
  readonly #verified = new Set<Counted>();

  /**
   * `recorded`: the recorded state. If it is undefined, all loaded entries are accepted: the store is empty, or it was
   * written by an old release that recorded no state.
   */
  constructor(recorded: StoreState | undefined) {
    this.#recorded = recorded;
  }

  /**
   * Compares the digest of the loaded entries of a key prefix with the recorded digest. Returns a description of the
   * difference, as a sentence without its full stop; undefined if there is none. Notes that the prefix was verified.
   */
  difference(prefix: Counted, loaded: SetDigest): string | undefined {
    this.#verified.add(prefix);
    const expected = this.#recorded?.digests[prefix];
    if (!expected || expected.equals(loaded)) return undefined;
    const missing = expected.count - loaded.count;
    const noun = COUNTED_NOUNS[prefix];
    if (missing > 0) return `${missing} of its ${expected.count} ${noun} are missing`;
    if (missing < 0) return `it contains ${loaded.count} ${noun}, but ${expected.count} were written`;
    return `some of its ${expected.count} ${noun} differ from the written ones`;
  }

  /**
   * Throws if `difference` was not called for each key prefix in `COUNTED`. The next write would record an empty digest
   * for the omitted prefix.
   */
  checkComplete(): void {
    const missing = COUNTED.filter(prefix => !this.#verified.has(prefix));
    if (missing.length > 0) throw new Error(`the entries of ${missing.join(', ')} were not verified`);
  }
}
