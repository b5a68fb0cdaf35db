import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'gsq.json';

/**
 * Content of a small file beside LevelDB's files. It contains the sequence number of a write that is on disk. If the
 * store lacks this write at the next start, data was lost. The file is replaced after each opening and each closing of
 * the store.
 */
export interface Checkpoint {
  /** Version of the store's data format. */
  schema: number;
  /** Sequence number of a write that is certainly on disk. */
  sequence: number;
}

/**
 * Reads the checkpoint of a directory. Returns undefined if it is missing or unreadable. Without a checkpoint, the
 * opening of the store cannot check that the newest writes are present.
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
