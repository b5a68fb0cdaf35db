import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a directory to disk. A new or renamed file can be missing after a power cut if its directory was not synced,
 * even if the content of the file was synced.
 */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
