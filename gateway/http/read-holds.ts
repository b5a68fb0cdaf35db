import type { Socket } from 'node:net';

/**
 * Key of the socket property that counts the pauses of a socket: calls of `holdReading` that `releaseReading` has not
 * undone yet.
 */
const HOLDS = Symbol('holds');

/**
 * A socket with a property that counts its pauses (calls of `holdReading`). Counting in a WeakMap instead of a property
 * would take at least twice as long.
 */
type HeldSocket = Socket & { [HOLDS]?: number };

/**
 * Stops reading from a socket (backpressure). Reading starts again when `releaseReading` has been called as often as
 * `holdReading`.
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

/** Waits for PIPELINE_PAUSE_MS, then allows reading from the socket again (`releaseReading`). */
export function releaseAfterPause(socket: HeldSocket): void {
  setTimeout(releaseReading, PIPELINE_PAUSE_MS, socket);
}

/**
 * Pauses a socket again if node:http has resumed it before the last `releaseReading` call. node:http resumes a socket
 * whenever it has read a complete request.
 */
function pauseHeld(this: HeldSocket): void {
  if (this[HOLDS]) this.pause();
}
