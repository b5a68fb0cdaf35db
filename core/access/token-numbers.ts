import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';

/** Size of a stored number in bytes, for each type of number. The byte order is little-endian. */
const WIDTHS = { u32: 4, f64: 8 } as const;

/**
 * Store format of one kind of numbers that belong to tokens, for example usage counts. A key is a prefix, the token id
 * and perhaps more text. A value is the number with a checksum.
 */
export class TokenNumberFormat {
  readonly prefix: string;
  readonly #type: keyof typeof WIDTHS;

  constructor(prefix: string, type: keyof typeof WIDTHS) {
    this.prefix = prefix;
    this.#type = type;
  }

  /**
   * Returns the write operation that stores a number of a token (for example its usage count) with a checksum. `name`:
   * the store key without the prefix.
   */
  entry(name: string, number: number): Put {
    const key = this.prefix + name;
    const content = Buffer.alloc(WIDTHS[this.#type]);
    if (this.#type === 'u32') content.writeUInt32LE(number);
    else content.writeDoubleLE(number);
    return { type: 'put', key, value: addChecksum(key, content) };
  }

  /**
   * Decodes a store entry with a number of a token, for example its usage count. Returns the number and the name of the
   * entry (its key without the prefix). Returns undefined if the checksum does not match.
   */
  read(key: string, value: Buffer): { name: string; number: number } | undefined {
    const width = WIDTHS[this.#type];
    // Old releases stored a value without a checksum: only the number, in `width` bytes. Values of newer releases are
    // longer, because they contain a checksum.
    const content = value.length === width ? value : checkedContent(key, value);
    if (content?.length !== width) return undefined;
    const number = this.#type === 'u32' ? content.readUInt32LE() : content.readDoubleLE();
    return { name: key.slice(this.prefix.length), number };
  }
}

/**
 * Loads all store entries of one format, such as usage counts of tokens. Calls `visit` with the name (key without
 * prefix) and the number of each entry; `visit` returns false for a malformed name. Deletes damaged entries, and calls
 * `onCorrupt` with their keys.
 */
export async function loadTokenNumbers(
  engine: Pick<StorageEngine, 'readAll' | 'append'>,
  format: TokenNumberFormat,
  visit: (name: string, number: number) => boolean,
  onCorrupt: (key: string) => void,
): Promise<void> {
  await readTokenNumbers(engine, format, visit, key => {
    onCorrupt(key);
    engine.append({ type: 'del', key });
  });
}

/**
 * Reads all store entries of one format, for example the usage counts of all tokens. Unlike `loadTokenNumbers`, writes
 * nothing. Calls `onCorrupt` with the key of each damaged entry.
 */
export function readTokenNumbers(
  engine: Pick<StorageEngine, 'readAll'>,
  format: TokenNumberFormat,
  visit: (name: string, number: number) => boolean,
  onCorrupt: (key: string) => void,
): Promise<void> {
  return engine.readAll(format.prefix, (key, value) => {
    const entry = format.read(key, value);
    if (!entry || !visit(entry.name, entry.number)) onCorrupt(key);
  });
}

/**
 * Write-behind for numbers that belong to tokens, such as usage counts: writes the changed numbers to the storage
 * engine at a fixed interval.
 */
export class TokenWriteBehind {
  readonly #write: (tokenId: string) => boolean;
  readonly #dirty = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /**
   * `flushMs`: interval between two flushes, ms. `write`: function that writes the numbers of one token to the storage
   * engine. It returns false if the engine refuses the write. The next flush then tries again.
   */
  constructor(flushMs: number, write: (tokenId: string) => boolean) {
    this.#write = write;
    this.#timer = setInterval(() => this.flush(), flushMs).unref();
  }

  /**
   * Marks the numbers of a token, for example its usage counts, as changed. The next `flush` writes them to the storage
   * engine.
   */
  markDirty(tokenId: string): void {
    this.#dirty.add(tokenId);
  }

  /**
   * Writes all changed numbers to the storage engine, one token after the other. Stops at the first token for which the
   * engine refuses the write.
   */
  flush(): void {
    for (const tokenId of this.#dirty) {
      if (!this.#write(tokenId)) return;
      this.#dirty.delete(tokenId);
    }
  }

  /** Stops the timer of the write-behind, and writes all changed numbers that are not written yet. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
