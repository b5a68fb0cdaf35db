import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** What the data directory takes, and what is left, in bytes. */
export interface DataUsage {
  /** Of all files in it. */
  used: number;
  /** Left on its file system for this process. */
  free: number;
  /** Of its file system as a whole. */
  size: number;
}

/** For so long a look is believed: one scrape asks several times. */
const BELIEVED_MS = 1_000;

/** The size of a directory and of the file system it is on. */
export class DataDirectory {
  readonly #path: string;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #usage: Promise<DataUsage> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Figures that cannot be had are NaN. */
  usage(): Promise<DataUsage> {
    const now = performance.now();
    if (!this.#usage || now - this.#lookedAt >= BELIEVED_MS) {
      this.#lookedAt = now;
      this.#usage = this.#look();
    }
    return this.#usage;
  }

  async #look(): Promise<DataUsage> {
    const [used, { free, size }] = await Promise.all([
      sizeOf(this.#path).catch(() => Number.NaN),
      statfs(this.#path).then(
        ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, size: blocks * bsize }),
        () => ({ free: Number.NaN, size: Number.NaN }),
      ),
    ]);
    return { used, free, size };
  }
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile());
  // The engine deletes files at any time.
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
