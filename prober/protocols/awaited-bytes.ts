/**
 * Collects the bytes of a stream until enough bytes have arrived, and joins the chunks only then. Joining the chunks
 * at each arrival takes quadratic time.
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
   * Starts to wait for `count` bytes. Until they have arrived, `addBytes` returns undefined. `rest` contains the first
   * of these bytes, which have already arrived. All other collected bytes are discarded.
   */
  await(rest: Buffer, count: number): void {
    this.#chunks = [rest];
    this.#length = rest.length;
    this.#awaited = count;
  }
}
