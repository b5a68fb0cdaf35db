import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';

/** Width in bytes of each number type. Numbers are stored in little-endian byte order. */
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

  /** Returns the write operation that stores a number. `name`: the key without the prefix. */
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
 * Loads all numbers of a format and calls `visit` for each of them. `visit` returns false if the name is malformed. An
 * entry with a malformed name or a wrong checksum is deleted, and `onCorrupt` is called with its key. Rejects if the
 * storage engine cannot be read.
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
 * Collects the ids of tokens whose numbers changed, and writes these numbers to the storage engine at a fixed interval.
 */
export class TokenWriteBehind {
  readonly #write: (tokenId: string) => boolean;
  readonly #dirty = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /**
   * `flushMs`: interval between two writes, ms. `write`: writes the changed numbers of one token to the storage engine.
   * If the engine refuses, `write` returns false and is called again at the next interval.
   */
  constructor(flushMs: number, write: (tokenId: string) => boolean) {
    this.#write = write;
    this.#timer = setInterval(() => this.flush(), flushMs).unref();
  }

  /** Marks the numbers of a token as changed. */
  markDirty(tokenId: string): void {
    this.#dirty.add(tokenId);
  }

  /** Writes all changed numbers to the storage engine. Stops at the first write that the engine refuses. */
  flush(): void {
    for (const tokenId of this.#dirty) {
      if (!this.#write(tokenId)) return;
      this.#dirty.delete(tokenId);
    }
  }

  /** Stops the timer and writes all changed numbers to the storage engine. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
