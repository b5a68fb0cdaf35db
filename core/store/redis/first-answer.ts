/**
 * Resolves to the first result of several functions. Calls the next function when a call fails, or when the newest call
 * has no result after `nextMs` ms. Earlier calls continue. If all calls fail, rejects with the first error that
 * `preferred` accepts, or else with the first error of all.
 */
export function firstAnswer<T>(
  functions: readonly (() => Promise<T>)[],
  nextMs: number,
  preferred: (error: unknown) => boolean,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    let started = 0;
    let isDone = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      isDone = true;
      clearTimeout(timer);
    };
    const startNext = (): void => {
      clearTimeout(timer);
      const call = functions[started++];
      if (isDone || !call) return;
      timer = setTimeout(startNext, nextMs);
      call().then(
        result => {
          end();
          resolve(result);
        },
        error => {
          errors.push(error);
          if (errors.length < functions.length) return startNext();
          end();
          reject(errors.find(preferred) ?? errors[0]);
        },
      );
    };
    startNext();
  });
}
