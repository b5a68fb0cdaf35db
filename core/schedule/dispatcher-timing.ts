/** Timers of the dispatcher. A simulation passes its own; the core uses the event loop's. */
export interface DispatcherTiming {
  /** Calls `tick` every `ms` milliseconds until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
  /** Calls once, after the code that runs at the moment. */
  soon(call: () => void): void;
}

/** Timers of the event loop. */
export const EVENT_LOOP: DispatcherTiming = {
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  },
  soon: call => void setImmediate(call),
};
