/** Timers of the dispatcher. The core uses the timers of the event loop, and a simulation passes its own timers. */
export interface DispatcherTiming {
  /** Calls `tick` every `ms` milliseconds until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
  /** Calls `call` once, as soon as the code that runs now has finished (like `setImmediate`). */
  soon(call: () => void): void;
}

/** Timers for the dispatcher, which hands out due probes. They use the event loop of Node.js. */
export const EVENT_LOOP: DispatcherTiming = {
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    return () => clearInterval(timer);
  },
  soon: call => void setImmediate(call),
};
