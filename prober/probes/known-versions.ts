/** Time for which gsq remembers the game version that a server reported, ms. */
const KNOWN_MS = 60 * 60_000;
/**
 * Time for which gsq remembers that a server reported no version, ms. The time is short, because perhaps the query or
 * its reply was lost.
 */
const UNTOLD_MS = 10 * 60_000;
/**
 * Maximum number of servers whose game version is stored. Callers choose the servers, so without a limit the versions
 * could fill the memory.
 */
const MAX_SERVERS = 16_384;

interface Known {
  version: string;
  until: number;
}

/**
 * Remembers the game versions that servers reported in the last hour. Used for games whose servers report the version
 * only in reply to an additional query.
 */
export class KnownVersions {
  readonly #now: () => number;
  /**
   * Remembered game version of each server, keyed by IP address and port. The server that was stored first is the first
   * key, and is removed first.
   */
  readonly #known = new Map<string, Known>();

  /** `now` returns the time of a monotonic clock, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns the stored game version of a server. An empty string means that the server reported no version. Undefined
   * means that gsq must query the version.
   */
  find(address: string, port: number): string | undefined {
    const known = this.#known.get(keyOf(address, port));
    return known && known.until > this.#now() ? known.version : undefined;
  }

  /**
   * Stores the game version that a server reported. Does nothing if a version of this server is already stored and has
   * not expired.
   */
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
