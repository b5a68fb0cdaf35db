import type { Socket } from 'node:net';

/** Key of the socket property that counts how often `holdReading` was called without a later `releaseReading`. */
const HOLDS = Symbol('holds');

/**
 * A socket that counts its calls of `holdReading`. The count is a property, because a WeakMap takes at least twice as
 * long.
 */
type HeldSocket = Socket & { [HOLDS]?: number };

/**
 * Stops reading from a socket (backpressure). Reading starts again when each call of `holdReading` was followed by a
 * call of `releaseReading`.
 */
export function holdReading(socket: HeldSocket): void {
  const count = socket[HOLDS];
  if (count === undefined) socket.on('resume', pauseHeld);
  socket[HOLDS] = (count ?? 0) + 1;
  if (!count) socket.pause();
}

/** Undoes one call of `holdReading`. When all calls are undone, the gateway reads from the socket again. */
export function releaseReading(socket: HeldSocket): void {
  const left = (socket[HOLDS] ?? 1) - 1;
  socket[HOLDS] = left;
  if (left === 0 && !socket.destroyed) socket.resume();
}

/**
 * Pause before the gateway reads the next pipelined request of a connection, ms. Without this pause, one pipelining
 * connection doubles the latency of other callers (docs/decisions/0018).
 */
const PIPELINE_PAUSE_MS = 2;

/** Calls `releaseReading` for a socket after PIPELINE_PAUSE_MS. */
export function releaseAfterPause(socket: HeldSocket): void {
  setTimeout(releaseReading, PIPELINE_PAUSE_MS, socket);
}

/**
 * Pauses a socket again if node:http has resumed it too early: before the last `releaseReading` call for this socket.
 * node:http resumes a socket when it has read a request completely.
 */
function pauseHeld(this: HeldSocket): void {
  if (this[HOLDS]) this.pause();
}
