import type { EventEmitter } from 'node:events';

/**
 * Resolves when the caller ended or cancelled the stream, or `closing` is aborted, whichever comes first; at once
 * where that has happened already.
 */
export function streamEnd(
  stream: EventEmitter & { destroyed: boolean; cancelled: boolean },
  closing: AbortSignal,
): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      closing.removeEventListener('abort', end);
      resolve();
    };
    stream.once('end', end);
    stream.once('close', end);
    stream.once('cancelled', end);
    closing.addEventListener('abort', end);
    if (closing.aborted || stream.destroyed || stream.cancelled) end();
  });
}
