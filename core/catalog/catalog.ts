import { createHash } from 'node:crypto';
import { type CatalogGame, parseCatalog } from '../../proto/catalog.ts';
import type { CatalogSource } from './catalog-file.ts';

/** How long a loaded catalog is served before it is loaded again (SPEC "Limits"), in ms. */
export const CATALOG_TTL_MS = 24 * 60 * 60 * 1000;

/** Delay between a failed refresh and the next attempt, ms. */
export const CATALOG_RETRY_MS = 60 * 1000;

/** One loaded version of the catalog; never changes. Times are Unix ms. */
export interface CatalogSnapshot {
  /** Games in the order of the catalog file. */
  readonly games: readonly CatalogGame[];
  /** Hash of the source's text; usable as an entity tag. */
  readonly version: string;
  readonly loadedAt: number;
  /** End of the 24 hours (Unix ms). It is in the past while a refresh runs, and after a refresh failed. */
  readonly expiresAt: number;
  /** Time of the last change of the catalog file (Unix ms). */
  readonly modifiedAt: number;
  /** The game with exactly this id or alias. */
  find(idOrAlias: string): CatalogGame | undefined;
}

export interface CatalogOptions {
  readonly source: CatalogSource;
  readonly now: () => number;
  /** Called with the error of every failed refresh. Must not throw. */
  readonly onRefreshFailure: (error: unknown) => void;
}

/**
 * The 24-hour cache of the games catalog (SPEC "What the service does", 5). It always has a valid catalog: the first load
 * must succeed, and a failed refresh keeps the catalog before it.
 *
 * `get` is for listing games: after 24 hours its callers wait for one reload and see the new catalog. `current` is for
 * fetches, which never wait: after 24 hours it starts the reload and returns the old catalog.
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

  /** Loads the catalog for the first time. Throws CatalogError with a message for the operator. */
  static async load(options: CatalogOptions): Promise<Catalog> {
    return new Catalog(options, await loadSnapshot(options));
  }

  /** Number of failed refreshes since the start. */
  get refreshFailures(): number {
    return this.#refreshFailures;
  }

  /** The catalog, reloaded first if its 24 hours are over. Never rejects. */
  async get(): Promise<CatalogSnapshot> {
    await this.#refreshIfDue();
    return this.#snapshot;
  }

  /** The current catalog; starts a reload if its 24 hours are over. */
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

/** Whether `span` has passed since `since`. A time before `since` counts as passed: a clock set back must not stretch it. */
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
