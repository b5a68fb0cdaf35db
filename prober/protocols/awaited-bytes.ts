/**
 * Collects the chunks of a byte stream, and joins them only when enough bytes have arrived. Joining them at each
 * arrival would take quadratic time.
 */
export class AwaitedBytes {
  #chunks: Buffer[] = [];
  #length = 0;
  #awaited = 1;

  /**
   * Adds a chunk. Returns all collected bytes if the awaited number of bytes has arrived. Returns undefined if bytes
   * are missing.
   */
  addBytes(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#awaited) return undefined;
    return Buffer.concat(this.#chunks);
  }

  /**
   * Discards all collected bytes. Starts a new collection with `rest`, which contains bytes that have already arrived.
   * The new collection is complete when it has `count` bytes.
   */
  await(rest: Buffer, count: number): void {
    this.#chunks = [rest];
    this.#length = rest.length;
    this.#awaited = count;
  }
}
