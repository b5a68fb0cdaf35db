import type { EventEmitter } from 'node:events';
import type { ServiceError } from '../../proto/service-error.ts';

/**
 * How a stream ended. `ended`: the caller ended it normally. `lost`: the caller cancelled it or its connection broke.
 * `closing`: the core shuts down.
 */
export type StreamEnd = 'ended' | 'lost' | 'closing';

/**
 * Resolves when the caller ends or cancels the stream, or when `closing` (the signal of the core's shutdown) is
 * aborted. Resolves immediately if one of these events has already happened.
 */
export function streamEnd(
  stream: EventEmitter & { destroyed: boolean; cancelled: boolean },
  closing: AbortSignal,
): Promise<StreamEnd> {
  return new Promise(resolve => {
    const end = (how: StreamEnd): void => {
      closing.removeEventListener('abort', close);
      resolve(how);
    };
    const close = (): void => end('closing');
    // When a stream breaks, it emits `end` shortly before `stream.cancelled` becomes true. Therefore `stream.cancelled`
    // is read in a later turn of the event loop.
    stream.once('end', () => setImmediate(() => end(stream.cancelled ? 'lost' : 'ended')));
    stream.once('close', () => end('lost'));
    stream.once('cancelled', () => end('lost'));
    closing.addEventListener('abort', close);
    if (closing.aborted) close();
    else if (stream.destroyed || stream.cancelled) end('lost');
  });
}

/**
 * Watches whether the caller of a stream may still use its token. If the caller may not, calls `onRefused` once.
 * Returns a function that ends the watch.
 */
export type AccessWatch = (onRefused: (error: ServiceError) => void) => () => void;

/**
 * Waits for the end of a stream, and watches meanwhile whether the caller may still use its token. Resolves when the
 * stream has ended. Rejects with a ServiceError if the caller may no longer use the token. `ended`: result of
 * `streamEnd`.
 */
export function endOrRefusal(ended: Promise<unknown>, watch: AccessWatch): Promise<void> {
  const over = new Promise<void>((resolve, reject) => {
    const stopWatch = watch(reject);
    void ended.then(() => {
      stopWatch();
      resolve();
    });
  });
  // Without this handler, Node would report an unhandled rejection if the promise `over` is rejected when nobody awaits
  // it any more.
  over.catch(() => {});
  return over;
}
