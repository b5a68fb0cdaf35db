import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { Now } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/log.ts';
import { weakTagOf } from '../http/entity-tag.ts';
import { compress } from '../http/send.ts';

/** The game catalog as an answer body, uncompressed and compressed, with its entity tag and times. */
export interface CatalogBody {
  body: Buffer;
  gzipped: Buffer;
  tag: string;
  /** Time at which the core loaded the catalog, in milliseconds since the Unix epoch. */
  loadedAt: number;
  /** Time at which the gateway received the catalog, in milliseconds since the Unix epoch. */
  receivedAt: number;
  /**
   * Time until which the gateway and its callers can use the catalog without loading it again, in milliseconds since
   * the Unix epoch.
   */
  freshUntil: number;
}

/** Options of the catalog cache. */
export interface CatalogCacheOptions {
  /** Loads the catalog from the core. Rejects with ServiceError if the core does not return the catalog. */
  load: () => Promise<ListGamesResponse__Output>;
  now: Now;
  log: Logger;
}

// Time between two attempts to load the catalog after a failure, in milliseconds. During this time, callers immediately
// get the catalog that was loaded before the failure.
const RETRY_MS = 1_000;

/**
 * Caches the game catalog for the time that the core specifies, at most 24 hours. Simultaneous requests share one load
 * (coalescing). If loading fails, the previous catalog is still served. Each version is compressed only once.
 */
export class CatalogCache {
  readonly #options: CatalogCacheOptions;
  #cached: { version: string; catalog: CatalogBody } | undefined;
  #loading: Promise<CatalogBody> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CatalogCacheOptions) {
    this.#options = options;
  }

  /** Returns the game catalog to serve at the time `now`. Returns undefined if the catalog must be loaded first. */
  current(now: number): CatalogBody | undefined {
    const cached = this.#cached?.catalog;
    const hasJustFailed = now >= this.#failedAt && now < this.#failedAt + RETRY_MS;
    return cached && (hasJustFailed || freshMsOf(cached, now) > 0) ? cached : undefined;
  }

  /**
   * Loads the catalog. If loading fails, resolves with the previously loaded catalog. If there is none, rejects with
   * the error.
   */
  async load(): Promise<CatalogBody> {
    const cached = this.#cached?.catalog;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    if (!cached) return this.#loading;
    try {
      return await this.#loading;
    } catch {
      // If the catalog cannot be loaded, returns the catalog that was loaded before. `#load` has already logged the
      // error.
      return cached;
    }
  }

  async #load(): Promise<CatalogBody> {
    const { load, now, log } = this.#options;
    try {
      const answer = await load();
      const catalog = await this.#render(answer);
      catalog.loadedAt = answer.loadedAtMs;
      catalog.receivedAt = now();
      catalog.freshUntil = catalog.receivedAt + answer.maxAgeSeconds * 1000;
      this.#cached = { version: answer.version, catalog };
      return catalog;
    } catch (error) {
      this.#failedAt = now();
      log.warn({ err: error, kept: this.#cached !== undefined }, 'the catalog could not be loaded');
      throw error;
    }
  }

  async #render({ games, version }: ListGamesResponse__Output): Promise<CatalogBody> {
    if (this.#cached && version !== '' && this.#cached.version === version)
      return { ...this.#cached.catalog };
    const body = Buffer.from(JSON.stringify(games.map(({ id, name }) => ({ id, name }))));
    const gzipped = await compress(body);
    return { body, gzipped, tag: weakTagOf(body), loadedAt: 0, receivedAt: 0, freshUntil: 0 };
  }
}

/**
 * Returns the time for which a cached game catalog can still be used, in milliseconds. Returns 0 if the clock was set
 * back since the gateway received the catalog, because the calculated time would be too long.
 */
export function freshMsOf({ receivedAt, freshUntil }: CatalogBody, now: number): number {
  return now < receivedAt ? 0 : Math.max(0, freshUntil - now);
}
