/** Calls `run` once after `ms` milliseconds. Returns a function that cancels the call. */
export type Later = (ms: number, run: () => void) => () => void;

/** Calls a function later, with a timer of Node. The timer does not keep the process alive. */
export const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
