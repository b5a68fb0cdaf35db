const KNOWN_MS = 60 * 60_000;
/** A server that told none is asked again sooner: the question or its answer may have been lost. */
const UNTOLD_MS = 10 * 60_000;
/** More than there are servers of the games in question. Outsiders choose the addresses. */
const MAX_SERVERS = 16_384;

interface Known {
  version: string;
  until: number;
}

/** The versions that servers told lately, of games where asking for it costs a question of its own. */
export class KnownVersions {
  readonly #now: () => number;
  /** By endpoint, the one that was learnt longest ago first. */
  readonly #known = new Map<string, Known>();

  /** `now` in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The version, empty if the server told none; undefined if it has to be asked for. */
  find(address: string, port: number): string | undefined {
    const known = this.#known.get(keyOf(address, port));
    return known && known.until > this.#now() ? known.version : undefined;
  }

  /** Keeps what was found where nothing is known. */
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
