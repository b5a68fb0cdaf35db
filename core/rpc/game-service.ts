import type { GameServiceHandlers } from '../../proto/generated/gsq/v1/GameService.ts';
import { CATALOG_TTL_MS, type Catalog } from '../catalog/catalog.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';

/** Creates the handlers of GameService, which returns the catalog of games. */
export function gameService(catalog: Catalog, handlers: Handlers, now: () => number) {
  return {
    ListGames: handlers.unary(async () => {
      const snapshot = await catalog.get();
      // The catalog expires 24 hours after it was loaded. If the clock is set back and the catalog cannot be loaded
      // again, `expiresAt - now()` can be more than 24 hours. Therefore `leftMs` is limited to 24 hours.
      const leftMs = Math.min(CATALOG_TTL_MS, snapshot.expiresAt - now());
      return {
        games: snapshot.games.map(({ id, name }) => ({ id, name })),
        version: snapshot.version,
        loadedAtMs: snapshot.loadedAt,
        maxAgeSeconds: Math.max(0, Math.floor(leftMs / 1000)),
      };
    }),

    ListGamesJson: handlers.unary(async () => {
      const { games } = await catalog.get();
      return jsonBody(Buffer.from(JSON.stringify(games.map(({ id, name }) => ({ id, name })))));
    }),
  } satisfies GameServiceHandlers;
}
