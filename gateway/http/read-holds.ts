import type { Socket } from 'node:net';

/**
 * Key of the socket property that counts the holds of the socket. While a socket has a hold, the gateway does not read
 * from it. `holdReading` begins a hold, and `releaseReading` ends it.
 */
const HOLDS = Symbol('holds');

/**
 * A socket that counts its holds. Each hold stops reading from the socket until it is released. A WeakMap could store
 * this count instead, but changing the count would take at least twice as long.
 */
type HeldSocket = Socket & { [HOLDS]?: number };

/**
 * Stops reading from a socket (backpressure) until `releaseReading` is called. Several parts of the gateway can hold
 * the same socket for different reasons. The socket is read again when the last of these holds is released.
 */
export function holdReading(socket: HeldSocket): void {
  const count = socket[HOLDS];
  if (count === undefined) socket.on('resume', pauseHeld);
  socket[HOLDS] = (count ?? 0) + 1;
  if (!count) socket.pause();
}

/** Ends one hold that `holdReading` began. If the socket has no other hold, the socket is read again. */
export function releaseReading(socket: HeldSocket): void {
  const left = (socket[HOLDS] ?? 1) - 1;
  socket[HOLDS] = left;
  if (left === 0 && !socket.destroyed) socket.resume();
}

/**
 * Pause in milliseconds before the gateway reads the next request of a pipelining connection. Such a connection sends a
 * request before it has the answer to the previous one. Without the pause, one pipelining connection sends thousands of
 * requests a second and doubles the waiting time of other callers (docs/decisions/0018).
 */
const PIPELINE_PAUSE_MS = 2;

/**
 * Ends one hold of a socket that `holdReading` began, but only after PIPELINE_PAUSE_MS. Until then, the gateway reads
 * nothing from the socket.
 */
export function releaseAfterPause(socket: HeldSocket): void {
  setTimeout(releaseReading, PIPELINE_PAUSE_MS, socket);
}

/**
 * Pauses a socket again if node:http has resumed it although the gateway still wants it paused (see `holdReading`).
 * node:http resumes a socket when it has read a request completely.
 */
function pauseHeld(this: HeldSocket): void {
  if (this[HOLDS]) this.pause();
}
