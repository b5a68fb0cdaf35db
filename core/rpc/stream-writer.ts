import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Writes and waits while the peer is behind: without waiting for `drain`, grpc-js buffers without bound.
 * Resolves early where the stream has ended.
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
    // The stream ended first: there is nobody left to write to.
  } finally {
    stream.off('close', end);
    stream.off('cancelled', end);
  }
}
