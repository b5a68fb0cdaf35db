/**
 * Gives each different text a number, starting at 0. Used for games and token ids, because they have few different
 * values.
 */
export class TextNumbers {
  readonly #numbers = new Map<string, number>();
  readonly texts: string[] = [];

  /** Returns the number that `getOrAdd` gave to a text, or -1 if the text has none yet. */
  get(text: string): number {
    return this.#numbers.get(text) ?? -1;
  }

  getOrAdd(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
