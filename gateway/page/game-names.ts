import type { Now } from '../../runtime/clock.ts';
import type { CatalogBody, CatalogCache } from '../games/catalog-cache.ts';

/** The names of the games of the catalog, keyed by game id. */
export type Names = ReadonlyMap<string, string>;

/** Reads the names of the games from the catalog of the core. */
export class GameNames {
  readonly #catalog: CatalogCache;
  readonly #now: Now;
  readonly #parsed = new WeakMap<CatalogBody, Names>();

  constructor(catalog: CatalogCache, now: Now) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** Returns the names of the games. Rejects with ServiceError if the core has never returned the catalog. */
  async load(): Promise<Names> {
    const catalog = this.#catalog.current(this.#now()) ?? (await this.#catalog.load());
    const known = this.#parsed.get(catalog);
    if (known) return known;
    const games = JSON.parse(catalog.body.toString('utf8')) as { id: string; name: string }[];
    const names = new Map(games.map(({ id, name }) => [id, name]));
    this.#parsed.set(catalog, names);
    return names;
  }
}
