import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a directory to disk (fsync). Without this, a new or renamed file in the directory can disappear at a power cut.
 */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
