import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Disk usage of the data directory, in bytes. */
export interface DataUsage {
  /** Size of all files in it. */
  used: number;
  /** Free space of its file system for this process. */
  free: number;
  /** Size of its file system. */
  size: number;
}

/** A result is cached this long, ms: one scrape reads it several times. */
const CACHED_MS = 1_000;

/** The size of a directory and of the file system it is on. */
export class DataDirectory {
  readonly #path: string;
  #readAt = Number.NEGATIVE_INFINITY;
  #usage: Promise<DataUsage> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The usage, at most a second old. Values that cannot be read are NaN. */
  usage(): Promise<DataUsage> {
    const now = performance.now();
    if (!this.#usage || now - this.#readAt >= CACHED_MS) {
      this.#readAt = now;
      this.#usage = this.#read();
    }
    return this.#usage;
  }

  async #read(): Promise<DataUsage> {
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
  // LevelDB may delete a file at any time.
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
