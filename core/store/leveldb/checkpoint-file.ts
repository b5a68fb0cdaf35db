import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../../../runtime/sync-directory.ts';
import { StoreDamage } from '../store-damage.ts';

/** Name of the checkpoint file, which contains the sequence number of a write that is on disk. */
export const CHECKPOINT = 'gsq.json';
/**
 * Length of the checkpoint file, in bytes. The text is padded with spaces to this length. The file fits into one disk
 * sector, so a power cut cannot leave it half-written.
 */
const FILE_BYTES = 64;

/**
 * Content of the checkpoint file: the sequence number of a write that is on disk. If the store lacks this write at the
 * next start, it has lost data.
 */
export interface Checkpoint {
  /** Version of the store's data format. */
  schema: number;
  /**
   * Sequence number of a write. When this checkpoint was made, this write and all earlier writes of the store were on
   * disk.
   */
  sequence: number;
}

/**
 * Reads the checkpoint file of the store in a directory. Returns undefined if the file is missing. Throws StoreDamage
 * if its content is damaged.
 */
export function readCheckpoint(directory: string): Checkpoint | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, CHECKPOINT), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const checkpoint = parse(text);
  if (!checkpoint) throw new StoreDamage(directory, `its file ${CHECKPOINT} is empty or damaged`);
  return checkpoint;
}

function parse(text: string): Checkpoint | undefined {
  try {
    const { schema, sequence } = JSON.parse(text) as Partial<Checkpoint>;
    return Number.isSafeInteger(schema) && Number.isSafeInteger(sequence)
      ? { schema: Number(schema), sequence: Number(sequence) }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The checkpoint file of an open store. `advance` writes without a sync, in a few microseconds. So after a power cut,
 * the file can contain an older sequence number than before. The next start then perhaps does not notice a loss of
 * newer writes, but it never reports a false loss.
 */
export class CheckpointFile {
  readonly #file: number;
  readonly #checkpoint: Checkpoint;
  readonly #bytes = Buffer.alloc(FILE_BYTES);

  private constructor(file: number, checkpoint: Checkpoint) {
    this.#file = file;
    this.#checkpoint = { ...checkpoint };
  }

  /**
   * Replaces the checkpoint file of the store in a directory. When this function returns, the complete file is on disk.
   */
  static create(directory: string, checkpoint: Checkpoint): CheckpointFile {
    const path = join(directory, CHECKPOINT);
    const created = new CheckpointFile(openSync(`${path}.new`, 'w'), checkpoint);
    try {
      created.#write();
      fsyncSync(created.#file);
      renameSync(`${path}.new`, path);
      syncDirectory(directory);
      return created;
    } catch (error) {
      created.close();
      throw error;
    }
  }

  /** Writes the sequence number of a write that is on disk to the checkpoint file. */
  advance(sequence: number): void {
    this.#checkpoint.sequence = sequence;
    this.#write();
  }

  /** Syncs the checkpoint file, so that the checkpoint survives even a power cut. */
  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(): void {
    this.#bytes.fill(' ').write(JSON.stringify(this.#checkpoint));
    this.#bytes.write('\n', FILE_BYTES - 1);
    writeSync(this.#file, this.#bytes, 0, FILE_BYTES, 0);
  }
}
