import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Disk usage of the data directory, in bytes. */
export interface DataUsage {
  /** Total size of all files in the data directory. */
  used: number;
  /** Free space that this process can use on the file system of the data directory. */
  free: number;
  /** Total size of the file system of the data directory. */
  size: number;
}

/**
 * Time for which the measured disk usage is cached, ms. Without the cache, each scrape of the metrics would measure it
 * several times.
 */
const CACHED_MS = 1_000;

/** Measures the size of a directory, and of the file system that contains the directory. */
export class DataDirectory {
  readonly #path: string;
  #readAt = Number.NEGATIVE_INFINITY;
  #usage: Promise<DataUsage> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the disk usage, which is at most one second old. Values that cannot be read are NaN. */
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
  // LevelDB can delete a file at any time. A deleted file counts as 0 bytes.
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
