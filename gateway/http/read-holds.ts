import type { Socket } from 'node:net';

/**
 * Key of the socket property that counts the holds of the socket. A hold is a reason why the gateway must not read from
 * the socket at the moment. `holdReading` adds a hold, and `releaseReading` removes it.
 */
const HOLDS = Symbol('holds');

/**
 * A socket with its count of holds. A hold is a reason not to read from the socket. A WeakMap could store the count
 * instead, but changing the count would take at least twice as long.
 */
type HeldSocket = Socket & { [HOLDS]?: number };

/**
 * Stops reading from a socket (backpressure) until `releaseReading` is called. Several parts of the gateway can stop
 * the same socket for different reasons. The gateway reads from the socket again after each of them has called
 * `releaseReading`.
 */
export function holdReading(socket: HeldSocket): void {
  const count = socket[HOLDS];
  if (count === undefined) socket.on('resume', pauseHeld);
  socket[HOLDS] = (count ?? 0) + 1;
  if (!count) socket.pause();
}

/**
 * Ends one hold of the socket. A hold is a reason not to read from the socket, and was added by `holdReading`. After
 * the last hold, the gateway reads from the socket again.
 */
export function releaseReading(socket: HeldSocket): void {
  const left = (socket[HOLDS] ?? 1) - 1;
  socket[HOLDS] = left;
  if (left === 0 && !socket.destroyed) socket.resume();
}

/**
 * Pause before the gateway reads the next request of a pipelining connection, ms. Such a connection does not wait for
 * its answers. Without the pause, one such connection doubles the waiting time of other callers (docs/decisions/0018).
 */
const PIPELINE_PAUSE_MS = 2;

/**
 * Removes one hold of a socket (a reason not to read from it) after PIPELINE_PAUSE_MS. Until then, the gateway reads
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
