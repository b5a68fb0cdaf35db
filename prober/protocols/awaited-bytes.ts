/**
 * Collects the bytes of a stream until a wanted number has arrived. Joining them at every chunk would take
 * quadratic time.
 */
export class AwaitedBytes {
  #chunks: Buffer[] = [];
  #length = 0;
  #awaited = 1;

  /** Adds a chunk. Returns all bytes once there are as many as awaited, until then undefined. */
  add(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#awaited) return undefined;
    return Buffer.concat(this.#chunks);
  }

  /** Keeps the unread bytes `rest` until they have grown to `count` bytes. */
  await(rest: Buffer, count: number): void {
    this.#chunks = [rest];
    this.#length = rest.length;
    this.#awaited = count;
  }
}
