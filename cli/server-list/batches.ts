import type { ListEntry } from './list-entry.ts';

/**
 * Maximum number of lines of a server list that are sent to the core in one batch. The core waits for the disk once in
 * each batch.
 */
export const BATCH_LINES = 500;

/**
 * A batch of lines ends when it has at least this number of characters. Together with the maximum length of a line,
 * this number limits the size of a message to the core.
 */
const BATCH_LENGTH = 256 * 1024;

/** Groups the entries of a server list into batches that can be sent to the core. Keeps the order of the lines. */
export async function* batches(groups: AsyncIterable<ListEntry[]>): AsyncGenerator<ListEntry[]> {
  let batch: ListEntry[] = [];
  let length = 0;
  for await (const group of groups) {
    for (const entry of group) {
      batch.push(entry);
      length += (entry.gameId?.length ?? 0) + (entry.server?.length ?? 0);
      if (batch.length < BATCH_LINES && length < BATCH_LENGTH) continue;
      yield batch;
      batch = [];
      length = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
