import { createHash } from 'node:crypto';
import { type CatalogGame, parseCatalog } from '../../proto/catalog.ts';
import type { CatalogSource } from './catalog-file.ts';

/** How long a loaded catalog is served before it is loaded again (SPEC "Limits"), in ms. */
export const CATALOG_TTL_MS = 24 * 60 * 60 * 1000;

/** How long a failed refresh is left alone before the source is read again, in ms. */
export const CATALOG_RETRY_MS = 60 * 1000;

/** The catalog as it was loaded once; never changes. Times are in ms since the epoch. */
export interface CatalogSnapshot {
  /** In the order of the source. */
  readonly games: readonly CatalogGame[];
  /** Hash of the source's text: changes when and only when that does. Fit for an entity tag. */
  readonly version: string;
  readonly loadedAt: number;
  /** End of the 24 hours. In the past where a refresh is under way, or failed and this is the last good catalog. */
  readonly expiresAt: number;
  /** When the source was last modified. */
  readonly modifiedAt: number;
  /** The game of an id or alias, exactly as written; any string may be asked for. */
  find(idOrAlias: string): CatalogGame | undefined;
}

export interface CatalogOptions {
  readonly source: CatalogSource;
  readonly now: () => number;
  /** Told of every refresh that failed while the last good catalog is kept. Must not throw. */
  readonly onRefreshFailure: (error: unknown) => void;
}

/**
 * The 24-hour cache of the games catalog (SPEC "What the service does", 5). It always holds a good catalog: the first
 * load must succeed, and a refresh that fails keeps what is held.
 *
 * `get` is for listing games: past the 24 hours its callers wait for the one reload and see the new catalog.
 * `current` is for the fetch road, which waits for nothing: past the 24 hours it starts the reload and answers at once.
 */
export class Catalog {
  readonly #options: CatalogOptions;
  #held: CatalogSnapshot;
  #refreshing: Promise<void> | undefined;
  #failedAt: number | undefined;
  #refreshFailures = 0;

  private constructor(options: CatalogOptions, first: CatalogSnapshot) {
    this.#options = options;
    this.#held = first;
  }

  /** Loads the catalog for the first time. Throws CatalogError, fit to be shown to the operator. */
  static async load(options: CatalogOptions): Promise<Catalog> {
    return new Catalog(options, await loadSnapshot(options));
  }

  /** How many refreshes have failed since the start. */
  get refreshFailures(): number {
    return this.#refreshFailures;
  }

  /** The catalog, reloaded first where its 24 hours are over. Never rejects. */
  async get(): Promise<CatalogSnapshot> {
    await this.#refreshIfDue();
    return this.#held;
  }

  /** The catalog now held; where its 24 hours are over, the next one is being loaded. */
  current(): CatalogSnapshot {
    void this.#refreshIfDue();
    return this.#held;
  }

  #refreshIfDue(): Promise<void> | undefined {
    if (this.#refreshing !== undefined) return this.#refreshing;
    const now = this.#options.now();
    if (!hasPassed(CATALOG_TTL_MS, this.#held.loadedAt, now)) return undefined;
    if (this.#failedAt !== undefined && !hasPassed(CATALOG_RETRY_MS, this.#failedAt, now)) return undefined;
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    try {
      this.#held = await loadSnapshot(this.#options);
    } catch (error) {
      this.#failedAt = this.#options.now();
      this.#refreshFailures += 1;
      this.#options.onRefreshFailure(error);
    }
  }
}

/** A clock that was set back must not stretch the span, so time before `since` counts as passed too. */
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
