// Original file: gsq/v1/game.proto

import type { Game as _gsq_v1_Game, Game__Output as _gsq_v1_Game__Output } from '../../gsq/v1/Game.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListGamesResponse {
  'games'?: (_gsq_v1_Game)[];
  /**
   * Changes whenever the content of the catalog does; fit for an entity tag.
   */
  'version'?: (string);
  /**
   * When the catalog now served was loaded, in milliseconds since the Unix epoch.
   */
  'loadedAtMs'?: (number | string | Long);
  /**
   * How long this answer stays fresh: the rest of the catalog cache's 24 hours.
   */
  'maxAgeSeconds'?: (number);
}

export interface ListGamesResponse__Output {
  'games': (_gsq_v1_Game__Output)[];
  /**
   * Changes whenever the content of the catalog does; fit for an entity tag.
   */
  'version': (string);
  /**
   * When the catalog now served was loaded, in milliseconds since the Unix epoch.
   */
  'loadedAtMs': (number);
  /**
   * How long this answer stays fresh: the rest of the catalog cache's 24 hours.
   */
  'maxAgeSeconds': (number);
}
