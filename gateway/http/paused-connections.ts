import type { Socket } from 'node:net';
import type { Exchange, Response } from './exchange.ts';
import { holdReading, releaseReading } from './read-holds.ts';

/** Starts a timer that calls `tick` every `ms` milliseconds. Returns a function that stops the timer. */
export type Every = (ms: number, tick: () => void) => () => void;

const TICK_MS = 100;
/**
 * Longest pause of a connection whose request was refused, in seconds. Each further refusal doubles the pause up to
 * this limit.
 */
const MAX_SECONDS = 8;
const TICKS = (MAX_SECONDS * 1000) / TICK_MS;
/**
 * Length of a period after the pause of a connection, in milliseconds. If a request on this connection is refused in
 * this period, the next pause is twice as long.
 */
const SOON_MS = 1000;

interface Pause {
  seconds: number;
  endsAt: number;
}

/**
 * Pauses the connections of refused requests (backpressure) until the Retry-After time is over. Otherwise callers that
 * retry immediately would take CPU time from others. The first pause lasts one second. If a request is refused again
 * soon, the pause doubles.
 */
export class PausedConnections {
  readonly #every: Every;
  readonly #onAllResumed: () => void;
  readonly #maxSeconds: number;
  /**
   * Timing wheel: a ring buffer with one list of sockets for each tick of the timer. At each tick, the sockets in the
   * list of this tick are resumed.
   */
  readonly #slots: Socket[][] = Array.from({ length: TICKS }, () => []);
  readonly #lastPauses = new WeakMap<Socket, Pause>();
  #slot = 0;
  #paused = 0;
  /** Stops the timer of the timing wheel. The timer runs only while a connection is paused. */
  #stopTimer: (() => void) | undefined;

  /**
   * `maxSeconds`: longest pause of a connection in seconds, at most 8. `onAllResumed`: called when no connection is
   * paused any more.
   */
  constructor(maxSeconds = MAX_SECONDS, onAllResumed: () => void = () => {}, every: Every = everyInterval) {
    this.#maxSeconds = maxSeconds;
    this.#onAllResumed = onAllResumed;
    this.#every = every;
  }

  /**
   * Pauses the connection of a request that is refused at the time `now` (milliseconds, monotonic). Does not pause a
   * connection that closes after the answer. Returns the value of the answer's Retry-After header, in seconds.
   */
  pauseConnection({ request, headers }: Exchange, response: Response, now: number): number {
    const { socket } = request;
    const last = this.#lastPauses.get(socket);
    const again = last && now - last.endsAt < SOON_MS;
    const seconds = again ? Math.min(last.seconds * 2, this.#maxSeconds) : 1;
    if (!response.shouldKeepAlive || headers.Connection === 'close') return seconds;
    this.#lastPauses.set(socket, { seconds, endsAt: now + seconds * 1000 });
    holdReading(socket);
    this.#slots[(this.#slot + (seconds * 1000) / TICK_MS) % TICKS]?.push(socket);
    this.#paused++;
    this.#stopTimer ??= this.#every(TICK_MS, () => this.#resumeDue());
    return seconds;
  }

  #resumeDue(): void {
    this.#slot = (this.#slot + 1) % TICKS;
    const due = this.#slots[this.#slot] ?? [];
    this.#slots[this.#slot] = [];
    this.#paused -= due.length;
    for (const socket of due) releaseReading(socket);
    if (this.#paused > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#onAllResumed();
  }
}

function everyInterval(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
}
