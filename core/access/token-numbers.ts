import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put, StorageEngine } from '../store/storage-engine.ts';

/** How a number is stored, little endian: its width in bytes. */
const WIDTHS = { u32: 4, f64: 8 } as const;

/** The stored form of numbers that belong to tokens: a key that begins with the id of the token, a checksummed number. */
export class TokenNumberFormat {
  readonly prefix: string;
  readonly #type: keyof typeof WIDTHS;

  constructor(prefix: string, type: keyof typeof WIDTHS) {
    this.prefix = prefix;
    this.#type = type;
  }

  /** The write that stores a number. `name`: the key without the prefix. */
  entry(name: string, number: number): Put {
    const key = this.prefix + name;
    const content = Buffer.alloc(WIDTHS[this.#type]);
    if (this.#type === 'u32') content.writeUInt32LE(number);
    else content.writeDoubleLE(number);
    return { type: 'put', key, value: addChecksum(key, content) };
  }

  /** The name and number of a stored entry; undefined if the checksum does not match. */
  read(key: string, value: Buffer): { name: string; number: number } | undefined {
    const width = WIDTHS[this.#type];
    // Releases before checksums stored the number alone.
    const content = value.length === width ? value : checkedContent(key, value);
    if (content?.length !== width) return undefined;
    const number = this.#type === 'u32' ? content.readUInt32LE() : content.readDoubleLE();
    return { name: key.slice(this.prefix.length), number };
  }
}

/**
 * Loads all numbers of a format. `visit` returns false if a name is malformed. Entries that are, or whose checksum does not
 * match, are deleted, and `onCorrupt` is told their keys. Rejects if the engine cannot be read.
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

/** Writes the numbers of tokens behind: marks tokens as dirty and writes those every so often. */
export class TokenWriteBehind {
  readonly #write: (tokenId: string) => boolean;
  readonly #dirty = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  /** `write`: appends what changed of a token to the engine; false if that refuses, then it is called again later. */
  constructor(flushMs: number, write: (tokenId: string) => boolean) {
    this.#write = write;
    this.#timer = setInterval(() => this.flush(), flushMs).unref();
  }

  /** The numbers of a token changed. */
  markDirty(tokenId: string): void {
    this.#dirty.add(tokenId);
  }

  /** Writes what changed, as far as the engine accepts it. */
  flush(): void {
    for (const tokenId of this.#dirty) {
      if (!this.#write(tokenId)) return;
      this.#dirty.delete(tokenId);
    }
  }

  /** Stops the timer and writes what changed. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
