import type { ListEntry } from '../../../cli/server-list/list-entry.ts';
import type { ListFormat } from '../../../cli/server-list/list-format.ts';
import { readList } from '../../../cli/server-list/read-list.ts';

/** How `readList` reads a server list. `game`: the default game, for lines without a game. */
interface Options {
  format?: ListFormat;
  game?: string;
}

/** Yields the bytes of a server list in chunks of `size` bytes. The last chunk can be shorter. */
export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a server list that arrives in chunks. Returns all its entries, as `readList` yields them. */
export async function entriesOf(chunks: AsyncIterable<Uint8Array>, { format, game = '' }: Options) {
  const entries: ListEntry[] = [];
  for await (const group of readList(chunks, { format, game })) entries.push(...group);
  return entries;
}

/**
 * Reads a server list. Returns one text for each entry: `line game address` for a server, or `line reason` for a
 * refused line. `line` is a line number.
 */
export async function read(content: string | Buffer, options: Options = {}): Promise<string[]> {
  const bytes = Buffer.from(content);
  const entries = await entriesOf(chunksOf(bytes, 1 << 16), options);
  return entries.map(entry =>
    'reason' in entry ? `${entry.line} ${entry.reason}` : `${entry.line} ${entry.gameId} ${entry.server}`,
  );
}
