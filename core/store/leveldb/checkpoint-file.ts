import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'gsq.json';

/**
 * Content of a small file beside LevelDB's files, written each time the store is opened or closed. It contains the
 * sequence number of a write that is on disk. If the store lacks that write at the next start, data was lost.
 */
export interface Checkpoint {
  /** Version of the store's data format. */
  schema: number;
  /** Sequence number of a write that is on disk. */
  sequence: number;
}

/**
 * Reads the checkpoint of a directory. Returns undefined if it is missing or unreadable; the store is then opened with
 * fewer checks.
 */
export function readCheckpoint(directory: string): Checkpoint | undefined {
  try {
    const read = JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as Partial<Checkpoint> | null;
    const { schema, sequence } = read ?? {};
    return Number.isSafeInteger(schema) && Number.isSafeInteger(sequence)
      ? { schema: Number(schema), sequence: Number(sequence) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the checkpoint atomically. When this function returns, the complete checkpoint is on disk. */
export function writeCheckpoint(directory: string, checkpoint: Checkpoint): void {
  const path = join(directory, FILE);
  const file = openSync(`${path}.new`, 'w');
  try {
    writeFileSync(file, `${JSON.stringify(checkpoint)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  const folder = openSync(directory, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
