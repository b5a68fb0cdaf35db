import { COUNTED, COUNTED_NOUNS, type Counted } from '../counted-prefixes.ts';
import type { SetDigest } from '../set-digest.ts';
import type { StoreState } from './store-state.ts';

/** Compares the entries of a loaded store with the state that the store recorded with its last write. */
export class LoadCheck {
  readonly #recorded: StoreState | undefined;
  readonly #verified = new Set<Counted>();

  /**
   * `recorded`: the digests of servers, tokens and credentials that the last write of the store recorded. Undefined if
   * the store is empty, or if an old release wrote it. If `recorded` is undefined, the loaded data is not checked.
   */
  constructor(recorded: StoreState | undefined) {
    this.#recorded = recorded;
  }

  /**
   * Compares the loaded entries under a key prefix with the digest (checksum) that the store recorded for them.
   * Returns a sentence without a full stop that describes the difference, or undefined if they are equal.
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
   * Throws if `difference` was not called for a key prefix in `COUNTED`. The loaded entries with this prefix are then
   * not checked, and the next write would wrongly record that the store has no such entries.
   */
  checkComplete(): void {
    const missing = COUNTED.filter(prefix => !this.#verified.has(prefix));
    if (missing.length > 0) throw new Error(`the entries of ${missing.join(', ')} were not verified`);
  }
}
