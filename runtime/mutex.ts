/** Runs asynchronous functions one after another, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the function `work` when the functions of all earlier calls have ended. Resolves or rejects like `work`. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
