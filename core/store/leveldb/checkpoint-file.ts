import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'gsq.json';

/** What is kept beside LevelDB's files whenever it is opened and closed: which writes the store must at least hold. */
export interface Checkpoint {
  /** The format of the store. */
  schema: number;
  /** Sequence number of a write that is on disk. */
  sequence: number;
}

/** Undefined if there is none, or none that can be read: then the store is checked less. */
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

/** Replaces the checkpoint; it is on disk, whole, before this returns. */
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
