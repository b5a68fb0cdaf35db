import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Writes a message with backpressure: waits for `drain` if the peer reads slowly, since grpc-js buffers without bound.
 * Resolves early if the stream ends.
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
    // The stream ended before it drained.
  } finally {
    stream.off('close', end);
    stream.off('cancelled', end);
  }
}
