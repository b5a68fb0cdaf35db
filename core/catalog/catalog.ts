import { createHash } from 'node:crypto';
import { type CatalogGame, parseCatalog } from '../../proto/catalog.ts';
import type { CatalogSource } from './catalog-file.ts';

/** Longest time for which a loaded catalog is used before it is loaded again, in ms (SPEC "Limits"). */
export const CATALOG_TTL_MS = 24 * 60 * 60 * 1000;

/** Minimum time between a failed reload of the catalog and the next attempt, in ms. */
export const CATALOG_RETRY_MS = 60 * 1000;

/** One loaded version of the catalog. It never changes. All times are Unix ms. */
export interface CatalogSnapshot {
  /** All games, in the order of the catalog file. */
  readonly games: readonly CatalogGame[];
  /** Hash of the catalog text. It can serve as an HTTP entity tag. */
  readonly version: string;
  readonly loadedAt: number;
  /**
   * Time when the catalog is 24 hours old and a reload is due. The catalog stays in use after this time while the
   * reload is running, or if the reload fails.
   */
  readonly expiresAt: number;
  /** Time of the last change of the catalog file. */
  readonly modifiedAt: number;
  /** Finds the game whose id or alias equals `idOrAlias` exactly. */
  find(idOrAlias: string): CatalogGame | undefined;
}

export interface CatalogOptions {
  readonly source: CatalogSource;
  readonly now: () => number;
  /** Called with the error of each failed reload of the catalog. Must not throw. */
  readonly onRefreshFailure: (error: unknown) => void;
}

/**
 * Cache of the games catalog, reloaded after 24 hours (SPEC "What the service does", 5). If a reload fails, the
 * previous catalog stays in use. Only the first load must succeed.
 */
export class Catalog {
  readonly #options: CatalogOptions;
  #snapshot: CatalogSnapshot;
  #refreshing: Promise<void> | undefined;
  #failedAt: number | undefined;
  #refreshFailures = 0;

  private constructor(options: CatalogOptions, first: CatalogSnapshot) {
    this.#options = options;
    this.#snapshot = first;
  }

  /**
   * Loads the catalog for the first time. Rejects with CatalogError if that fails; the error message is for the
   * operator.
   */
  static async load(options: CatalogOptions): Promise<Catalog> {
    return new Catalog(options, await loadSnapshot(options));
  }

  /** Number of reloads of the catalog that have failed since the core started. */
  get refreshFailures(): number {
    return this.#refreshFailures;
  }

  /** Returns the catalog. If it is older than 24 hours, waits for a reload first. Never rejects. */
  async get(): Promise<CatalogSnapshot> {
    await this.#refreshIfDue();
    return this.#snapshot;
  }

  /** Returns the current catalog without waiting. If it is older than 24 hours, also starts a reload. */
  current(): CatalogSnapshot {
    void this.#refreshIfDue();
    return this.#snapshot;
  }

  #refreshIfDue(): Promise<void> | undefined {
    if (this.#refreshing !== undefined) return this.#refreshing;
    const now = this.#options.now();
    if (!hasPassed(CATALOG_TTL_MS, this.#snapshot.loadedAt, now)) return undefined;
    if (this.#failedAt !== undefined && !hasPassed(CATALOG_RETRY_MS, this.#failedAt, now)) return undefined;
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    try {
      this.#snapshot = await loadSnapshot(this.#options);
    } catch (error) {
      this.#failedAt = this.#options.now();
      this.#refreshFailures += 1;
      this.#options.onRefreshFailure(error);
    }
  }
}

/**
 * Returns true if at least `span` ms have passed since the time `since`. Also returns true if `since` is in the future:
 * the clock was then set back, and waiting for `since` would delay the reload of the catalog too long.
 */
function hasPassed(span: number, since: number, now: number): boolean {
  return now >= since + span || now < since;
}

async function loadSnapshot({ source, now }: CatalogOptions): Promise<CatalogSnapshot> {
  const { text, modifiedAt } = await source.read();
  const games = parseCatalog(text, source.name);
  const byWord = new Map(
    games.flatMap(game => [game.id, ...game.aliases].map(word => [word, game] as const)),
  );
  const loadedAt = now();
  return {
    games,
    version: createHash('sha256').update(text).digest('hex').slice(0, 32),
    loadedAt,
    expiresAt: loadedAt + CATALOG_TTL_MS,
    modifiedAt,
    find: idOrAlias => byWord.get(idOrAlias),
  };
}
