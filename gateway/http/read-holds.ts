import type { Socket } from 'node:net';

/** Key of the number of `holdReading` calls of a socket that are not released yet. */
const HOLDS = Symbol('holds');

/** The count is a property of the socket, because a count in a WeakMap takes at least twice as long to change. */
type HeldSocket = Socket & { [HOLDS]?: number };

/**
 * Stops reading from a socket (backpressure) until `releaseReading` is called. Several parts of the gateway hold the
 * same socket for different reasons. It is read again when the last hold is released.
 */
export function holdReading(socket: HeldSocket): void {
  const count = socket[HOLDS];
  if (count === undefined) socket.on('resume', pauseHeld);
  socket[HOLDS] = (count ?? 0) + 1;
  if (!count) socket.pause();
}

/** Releases one hold of `holdReading`. If it was the last hold, the socket is read again. */
export function releaseReading(socket: HeldSocket): void {
  const left = (socket[HOLDS] ?? 1) - 1;
  socket[HOLDS] = left;
  if (left === 0 && !socket.destroyed) socket.resume();
}

/**
 * Pauses a held socket again after node:http has resumed it. node:http does so when it has read a request completely.
 */
function pauseHeld(this: HeldSocket): void {
  if (this[HOLDS]) this.pause();
}
