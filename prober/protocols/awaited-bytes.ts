/**
 * What came over a stream, joined only when there is as much of it as was asked for: joining at every chunk would
 * cost the square of the bytes.
 */
export class AwaitedBytes {
  #chunks: Buffer[] = [];
  #length = 0;
  #awaited = 1;

  /** All bytes there are, or undefined while they are fewer than awaited. */
  add(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#awaited) return undefined;
    return Buffer.concat(this.#chunks);
  }

  /** Keeps `rest`, all that was not read yet, until it has grown to `count` bytes. */
  await(rest: Buffer, count: number): void {
    this.#chunks = [rest];
    this.#length = rest.length;
    this.#awaited = count;
  }
}
