import type { ListGamesResponse__Output } from '../../proto/generated/gsq/v1/ListGamesResponse.ts';
import type { Now } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/log.ts';
import { weakTagOf } from '../http/entity-tag.ts';
import { compress } from '../http/send.ts';

/** The catalog as it is sent. */
export interface CatalogBody {
  body: Buffer;
  gzipped: Buffer;
  tag: string;
  /** When the core loaded it, in milliseconds since the Unix epoch. */
  loadedAt: number;
  /** Until when it is fresh, in milliseconds since the Unix epoch. */
  freshUntil: number;
}

export interface CatalogCacheOptions {
  /** Asks the core. Rejects with ServiceError. */
  load: () => Promise<ListGamesResponse__Output>;
  now: Now;
  log: Logger;
}

// While the core is away, callers get the last catalog without each waiting for one more attempt.
const RETRY_MS = 1_000;

/**
 * Keeps the catalog until its 24 hours, which the core counts, are over. Concurrent misses load once; where
 * loading fails, the last catalog serves on. Compressed once per version.
 */
export class CatalogCache {
  readonly #options: CatalogCacheOptions;
  #kept: { version: string; catalog: CatalogBody } | undefined;
  #loading: Promise<CatalogBody> | undefined;
  #retryAt = 0;

  constructor(options: CatalogCacheOptions) {
    this.#options = options;
  }

  /** The catalog that serves at `now`; undefined where it has to be loaded first. */
  ready(now: number): CatalogBody | undefined {
    const kept = this.#kept?.catalog;
    return kept && (now < kept.freshUntil || now < this.#retryAt) ? kept : undefined;
  }

  /**
   * Loads the catalog; the last one serves on where that fails. Rejects with what loading failed with where there has
   * never been one.
   */
  async load(): Promise<CatalogBody> {
    const kept = this.#kept?.catalog;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    if (!kept) return this.#loading;
    try {
      return await this.#loading;
    } catch {
      // The load itself has logged why.
      return kept;
    }
  }

  async #load(): Promise<CatalogBody> {
    const { load, now, log } = this.#options;
    try {
      const answer = await load();
      const catalog = await this.#render(answer);
      catalog.loadedAt = answer.loadedAtMs;
      catalog.freshUntil = now() + answer.maxAgeSeconds * 1000;
      this.#kept = { version: answer.version, catalog };
      return catalog;
    } catch (error) {
      this.#retryAt = now() + RETRY_MS;
      log.warn({ err: error, kept: this.#kept !== undefined }, 'the catalog could not be loaded');
      throw error;
    }
  }

  async #render({ games, version }: ListGamesResponse__Output): Promise<CatalogBody> {
    if (this.#kept && version !== '' && this.#kept.version === version) return { ...this.#kept.catalog };
    const body = Buffer.from(JSON.stringify(games.map(({ id, name }) => ({ id, name }))));
    return { body, gzipped: await compress(body), tag: weakTagOf(body), loadedAt: 0, freshUntil: 0 };
  }
}
