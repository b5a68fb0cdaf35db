import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';

/** Size of a stored number in bytes, keyed by its type. The byte order is little-endian. */
const WIDTHS = { u32: 4, f64: 8 } as const;

/**
 * Store format of numbers that belong to tokens. A key consists of the prefix, the token id and perhaps more text. A
 * value is a number with a checksum.
 */
export class TokenNumberFormat {
  readonly prefix: string;
  readonly #type: keyof typeof WIDTHS;

  constructor(prefix: string, type: keyof typeof WIDTHS) {
    this.prefix = prefix;
    this.#type = type;
  }

  /** Returns the write operation that stores a number with its checksum. `name`: the store key without the prefix. */
  entry(name: string, number: number): Put {
    const key = this.prefix + name;
    const content = Buffer.alloc(WIDTHS[this.#type]);
    if (this.#type === 'u32') content.writeUInt32LE(number);
    else content.writeDoubleLE(number);
    return { type: 'put', key, value: addChecksum(key, content) };
  }

  /** Reads the name and the number of a stored entry. Returns undefined if the checksum does not match. */
  read(key: string, value: Buffer): { name: string; number: number } | undefined {
    const width = WIDTHS[this.#type];
    // A value of this length has no checksum: old releases stored only the number.
    const content = value.length === width ? value : checkedContent(key, value);
    if (content?.length !== width) return undefined;
    const number = this.#type === 'u32' ? content.readUInt32LE() : content.readDoubleLE();
    return { name: key.slice(this.prefix.length), number };
  }
}

/**
 * Loads all numbers that have this store format, and calls `visit` with the name (the key without the prefix) and the
 * number of each. `visit` returns false if the name is malformed. If the name is malformed or the checksum is wrong,
 * deletes the entry and calls `onCorrupt` with its key. Rejects if the storage engine cannot be read.
 */
export async function loadTokenNumbers(
  engine: Pick<StorageEngine, 'readAll' | 'append'>,
  format: TokenNumberFormat,
  visit: (name: string, number: number) => boolean,
  onCorrupt: (key: string) => void,
): Promise<void> {
  await engine.readAll(format.prefix, (key, value) => {
    const entry = format.read(key, value);
    if (entry && visit(entry.name, entry.number)) return;
    onCorrupt(key);
    engine.append({ type: 'del', key });
  });
}

/**
 * Write-behind of numbers that belong to tokens: remembers the tokens whose numbers have changed, and writes their
 * numbers to the storage engine at a fixed interval.
 */
export class TokenWriteBehind {
  readonly #write: (tokenId: string) => boolean;
  readonly #dirty = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /**
   * `flushMs`: interval between two calls of `flush`, ms. `write`: writes the numbers of one token to the storage
   * engine. If the engine refuses the write, `write` returns false, and the token is written at the next interval.
   */
  constructor(flushMs: number, write: (tokenId: string) => boolean) {
    this.#write = write;
    this.#timer = setInterval(() => this.flush(), flushMs).unref();
  }

  /** Marks a token as changed, so that the next `flush` writes its numbers. */
  markDirty(tokenId: string): void {
    this.#dirty.add(tokenId);
  }

  /**
   * Writes the numbers of all tokens that are marked as changed. Stops at the first write that the storage engine
   * refuses.
   */
  flush(): void {
    for (const tokenId of this.#dirty) {
      if (!this.#write(tokenId)) return;
      this.#dirty.delete(tokenId);
    }
  }

  /** Stops the periodic writes, and calls `flush` for the last time. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
