import { open } from 'node:fs/promises';
import { CatalogError, MAX_CATALOG_BYTES } from '../../proto/catalog.ts';
import { reasonOf } from '../../runtime/error-words.ts';

/** Place from which the games catalog is read, for example a file. */
export interface CatalogSource {
  /** Name of the source of the catalog in error messages, for example the path of the catalog file. */
  readonly name: string;
  /**
   * Reads the text of the games catalog, and the time of its last change (Unix ms). Rejects with CatalogError if the
   * catalog cannot be read or is too large.
   */
  read(): Promise<{ text: string; modifiedAt: number }>;
}

/**
 * Returns the catalog source for a file of at most MAX_CATALOG_BYTES. A relative `path` starts at the working
 * directory.
 */
export function catalogFile(path: string): CatalogSource {
  return {
    name: path,
    async read() {
      try {
        return await readWhole(path);
      } catch (error) {
        if (error instanceof CatalogError) throw error;
        throw new CatalogError(
          `${path}: cannot be read (${reasonOf(error)}); GSQ_CATALOG must name a readable catalog file, like the catalog.json ` +
            'that comes with gsq',
          { cause: error },
        );
      }
    },
  };
}

async function readWhole(path: string): Promise<{ text: string; modifiedAt: number }> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await file.stat();
    if (size > MAX_CATALOG_BYTES) {
      throw new CatalogError(
        `${path}: has ${size} bytes, more than ${MAX_CATALOG_BYTES}; check that this file is the catalog`,
      );
    }
    return { text: await file.readFile('utf8'), modifiedAt: Math.floor(mtimeMs) };
  } finally {
    await file.close();
  }
}
