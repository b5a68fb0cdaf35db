import type { Socket } from 'node:net';
import type { Exchange, Response } from './exchange.ts';

/** Calls `tick` every `ms` milliseconds until the returned function is called. */
export type Every = (ms: number, tick: () => void) => () => void;

const TICK_MS = 100;
/** The longest pause, of a connection that is refused again and again. */
const MAX_SECONDS = 8;
const TICKS = (MAX_SECONDS * 1000) / TICK_MS;
/** A refusal this soon after a pause doubles the next pause. */
const SOON_MS = 1000;

interface Pause {
  seconds: number;
  endsAt: number;
}

/**
 * Pauses the connections of refused requests for as long as their callers were told to wait (backpressure), so that
 * callers who retry at once take no time from those being served. A pause lasts a second, and doubles with each refusal
 * soon after one. One timing wheel serves all connections; its timer runs while any is paused.
 */
export class PausedConnections {
  readonly #every: Every;
  readonly #onAllResumed: () => void;
  readonly #maxSeconds: number;
  /** A ring buffer; each slot holds the connections that its tick resumes. */
  readonly #slots: Socket[][] = Array.from({ length: TICKS }, () => []);
  readonly #lastPauses = new WeakMap<Socket, Pause>();
  #slot = 0;
  #paused = 0;
  #stopTimer: (() => void) | undefined;

  /** A pause grows to `maxSeconds`, 8 at most. `onAllResumed` is called when the last paused connection is read again. */
  constructor(maxSeconds = MAX_SECONDS, onAllResumed: () => void = () => {}, every: Every = everyInterval) {
    this.#maxSeconds = maxSeconds;
    this.#onAllResumed = onAllResumed;
    this.#every = every;
  }

  /**
   * Pauses the connection of a request refused at `now` (milliseconds, monotonic), unless its answer closes it. Returns the
   * Retry-After of the answer in seconds.
   */
  pauseConnection({ request, headers }: Exchange, response: Response, now: number): number {
    const { socket } = request;
    const last = this.#lastPauses.get(socket);
    // The request was pipelined behind the one that paused the connection.
    if (last && now < last.endsAt) return last.seconds;
    const again = last && now - last.endsAt < SOON_MS;
    const seconds = again ? Math.min(last.seconds * 2, this.#maxSeconds) : 1;
    // A connection that is paused otherwise waits for its caller to read.
    if (!response.shouldKeepAlive || headers.Connection === 'close' || socket.isPaused()) return seconds;
    this.#lastPauses.set(socket, { seconds, endsAt: now + seconds * 1000 });
    socket.pause();
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
    for (const socket of due) if (!socket.destroyed) socket.resume();
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
