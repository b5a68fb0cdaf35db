import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Writes a message to a stream. If the peer reads slowly, waits until the stream can accept more messages (event
 * `drain`), because grpc-js buffers any number of messages. Resolves early if the stream ends.
 */
export async function writeAndWait<T>(stream: Writable, message: T): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  if (stream.write(message)) return;
  const gone = new AbortController();
  const end = (): void => gone.abort();
  stream.once('close', end);
  stream.once('cancelled', end);
  try {
    await once(stream, 'drain', { signal: gone.signal });
  } catch {
    // The stream ended before its event `drain`. This function does not report an error, because its callers handle the
    // end of the stream.
  } finally {
    stream.off('close', end);
    stream.off('cancelled', end);
  }
}
