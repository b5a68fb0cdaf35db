import type { Socket } from 'node:net';

/** Number of `holdReading` calls of each paused socket that are not released yet. */
const holds = new WeakMap<Socket, number>();

/**
 * Stops reading from a socket (backpressure) until `releaseReading` is called. Several parts of the gateway hold the
 * same socket for different reasons. It is read again when the last hold is released.
 */
export function holdReading(socket: Socket): void {
  const count = holds.get(socket) ?? 0;
  holds.set(socket, count + 1);
  if (count > 0) return;
  socket.pause();
  socket.on('resume', pauseAgain);
}

/** Releases one hold of `holdReading`. If it was the last hold, the socket is read again. */
export function releaseReading(socket: Socket): void {
  const count = holds.get(socket) ?? 0;
  if (count > 1) {
    holds.set(socket, count - 1);
    return;
  }
  holds.delete(socket);
  socket.off('resume', pauseAgain);
  if (!socket.destroyed) socket.resume();
}

/** Pauses the socket again after node:http has resumed it. node:http does so when it has read a request completely. */
function pauseAgain(this: Socket): void {
  this.pause();
}
