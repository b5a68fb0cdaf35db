/** So many things at a time, so many more in line, and no others. */
export class Slots {
  readonly #atOnce: number;
  readonly #inLine: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(atOnce: number, inLine: number) {
    this.#atOnce = atOnce;
    this.#inLine = inLine;
  }

  /** Resolves with whether a slot was had; false at once when the line is full. Each true wants a `release`. */
  async acquire(): Promise<boolean> {
    if (this.#taken < this.#atOnce) {
      this.#taken++;
      return true;
    }
    if (this.#waiting.length >= this.#inLine) return false;
    await new Promise<void>(resolve => this.#waiting.push(resolve));
    return true;
  }

  /** Gives the slot to the next in line. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  }
}
