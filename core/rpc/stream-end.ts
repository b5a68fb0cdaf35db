import type { EventEmitter } from 'node:events';

/** Who ended a stream: its caller in order, a caller or a connection that is gone without a word, or the core. */
export type StreamEnd = 'ended' | 'lost' | 'closing';

/**
 * Resolves when the caller ended or cancelled the stream, or `closing` is aborted, whichever comes first; at once
 * where that has happened already.
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
    // A stream that breaks ends as well, a moment before it is known to be cancelled.
    stream.once('end', () => setImmediate(() => end(stream.cancelled ? 'lost' : 'ended')));
    stream.once('close', () => end('lost'));
    stream.once('cancelled', () => end('lost'));
    closing.addEventListener('abort', close);
    if (closing.aborted) close();
    else if (stream.destroyed || stream.cancelled) end('lost');
  });
}
