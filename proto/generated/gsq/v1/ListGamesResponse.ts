// Original file: gsq/v1/game.proto

import type { Game as _gsq_v1_Game, Game__Output as _gsq_v1_Game__Output } from '../../gsq/v1/Game.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListGamesResponse {
  'games'?: (_gsq_v1_Game)[];
  /**
   * Version of the catalog. It changes whenever the content of the catalog changes, so it can serve as an entity tag.
   */
  'version'?: (string);
  /**
   * Time when the current catalog was loaded, in milliseconds since the Unix epoch.
   */
  'loadedAtMs'?: (number | string | Long);
  /**
   * Number of seconds for which this response stays fresh: the rest of the 24 hours for which the catalog is cached.
   */
  'maxAgeSeconds'?: (number);
}

export interface ListGamesResponse__Output {
  'games': (_gsq_v1_Game__Output)[];
  /**
   * Version of the catalog. It changes whenever the content of the catalog changes, so it can serve as an entity tag.
   */
  'version': (string);
  /**
   * Time when the current catalog was loaded, in milliseconds since the Unix epoch.
   */
  'loadedAtMs': (number);
  /**
   * Number of seconds for which this response stays fresh: the rest of the 24 hours for which the catalog is cached.
   */
  'maxAgeSeconds': (number);
}
