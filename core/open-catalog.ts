import { ConfigError } from '../runtime/config.ts';
import { reasonOf } from '../runtime/error-words.ts';
import type { Logger } from '../runtime/log.ts';
import { Catalog } from './catalog/catalog.ts';
import { catalogFile } from './catalog/catalog-file.ts';
import type { CoreConfig } from './core-settings.ts';

/**
 * Loads the catalog of games from the file of GSQ_CATALOG. Rejects with ConfigError if the file cannot be read or is
 * not valid.
 */
export function openCatalog(config: CoreConfig, log: Logger, now: () => number): Promise<Catalog> {
  const catalogPath = config.GSQ_CATALOG;
  return Catalog.load({
    source: catalogFile(catalogPath),
    now,
    onRefreshFailure: error =>
      log.error({ err: error, catalogPath }, 'catalog not refreshed; the last valid catalog stays in use'),
  }).catch((error: unknown) => {
    throw new ConfigError(`GSQ_CATALOG: ${reasonOf(error)}`);
  });
}
