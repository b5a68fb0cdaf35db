import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { Now } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/log.ts';
import { weakTagOf } from '../http/entity-tag.ts';
import { compress } from '../http/send.ts';

/** The catalog as the body of an answer. */
export interface CatalogBody {
  body: Buffer;
  gzipped: Buffer;
  tag: string;
  /** When the core loaded the catalog; milliseconds since the Unix epoch. */
  loadedAt: number;
  /** Until when the catalog is fresh; milliseconds since the Unix epoch. */
  freshUntil: number;
}

export interface CatalogCacheOptions {
  /** Loads the catalog from the core. Rejects with ServiceError. */
  load: () => Promise<ListGamesResponse__Output>;
  now: Now;
  log: Logger;
}

// Time between two attempts to load a stale catalog; meanwhile callers get the last one without delay.
const RETRY_MS = 1_000;

/**
 * Caches the catalog for as long as the core says, 24 hours at most. Concurrent misses load it once (coalescing). If loading
 * fails, the last catalog is still served. Each version is compressed once.
 */
export class CatalogCache {
  readonly #options: CatalogCacheOptions;
  #cached: { version: string; catalog: CatalogBody } | undefined;
  #loading: Promise<CatalogBody> | undefined;
  #retryAt = 0;

  constructor(options: CatalogCacheOptions) {
    this.#options = options;
  }

  /** The catalog to serve at `now`; undefined if it must be loaded first. */
  current(now: number): CatalogBody | undefined {
    const cached = this.#cached?.catalog;
    return cached && (now < cached.freshUntil || now < this.#retryAt) ? cached : undefined;
  }

  /** Loads the catalog. If that fails, resolves with the last catalog, or rejects with the error if there is none. */
  async load(): Promise<CatalogBody> {
    const cached = this.#cached?.catalog;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    if (!cached) return this.#loading;
    try {
      return await this.#loading;
    } catch {
      // `#load` has logged the error.
      return cached;
    }
  }

  async #load(): Promise<CatalogBody> {
    const { load, now, log } = this.#options;
    try {
      const answer = await load();
      const catalog = await this.#render(answer);
      catalog.loadedAt = answer.loadedAtMs;
      catalog.freshUntil = now() + answer.maxAgeSeconds * 1000;
      this.#cached = { version: answer.version, catalog };
      return catalog;
    } catch (error) {
      this.#retryAt = now() + RETRY_MS;
      log.warn({ err: error, kept: this.#cached !== undefined }, 'the catalog could not be loaded');
      throw error;
    }
  }

  async #render({ games, version }: ListGamesResponse__Output): Promise<CatalogBody> {
    if (this.#cached && version !== '' && this.#cached.version === version)
      return { ...this.#cached.catalog };
    const body = Buffer.from(JSON.stringify(games.map(({ id, name }) => ({ id, name }))));
    return { body, gzipped: await compress(body), tag: weakTagOf(body), loadedAt: 0, freshUntil: 0 };
  }
}
