const KNOWN_MS = 60 * 60_000;
/**
 * A server that told no version is asked again sooner, because the question or its answer may have been lost.
 */
const UNTOLD_MS = 10 * 60_000;
/** More than the servers of the games concerned; the cap matters because outsiders choose the addresses. */
const MAX_SERVERS = 16_384;

interface Known {
  version: string;
  until: number;
}

/**
 * Remembers the versions that servers told lately, for games where asking for the version costs an extra
 * question.
 */
export class KnownVersions {
  readonly #now: () => number;
  /** Versions by endpoint, the oldest first. */
  readonly #known = new Map<string, Known>();

  /** `now` in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The version of a server, empty if it told none; undefined if it has to be asked. */
  find(address: string, port: number): string | undefined {
    const known = this.#known.get(keyOf(address, port));
    return known && known.until > this.#now() ? known.version : undefined;
  }

  /** Stores a version unless one is known already. */
  learn(address: string, port: number, version: string): void {
    if (this.find(address, port) !== undefined) return;
    const key = keyOf(address, port);
    this.#known.delete(key);
    this.#known.set(key, { version, until: this.#now() + (version === '' ? UNTOLD_MS : KNOWN_MS) });
    if (this.#known.size <= MAX_SERVERS) return;
    const [oldest = ''] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

function keyOf(address: string, port: number): string {
  return `${address} ${port}`;
}
