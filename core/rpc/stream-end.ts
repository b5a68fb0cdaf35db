import type { EventEmitter } from 'node:events';

/** How a stream ended: `ended` by its caller in order, `lost` with its caller or connection, `closing` with the core. */
export type StreamEnd = 'ended' | 'lost' | 'closing';

/** Resolves when the caller ends or cancels the stream or `closing` is aborted; at once if that has happened already. */
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
    // A broken stream emits `end` too, a moment before it is marked as cancelled.
    stream.once('end', () => setImmediate(() => end(stream.cancelled ? 'lost' : 'ended')));
    stream.once('close', () => end('lost'));
    stream.once('cancelled', () => end('lost'));
    closing.addEventListener('abort', close);
    if (closing.aborted) close();
    else if (stream.destroyed || stream.cancelled) end('lost');
  });
}
