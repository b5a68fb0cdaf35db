// Original file: gsq/v1/cluster.proto

import type { SearchScope as _gsq_v1_SearchScope, SearchScope__Output as _gsq_v1_SearchScope__Output } from '../../gsq/v1/SearchScope.ts';
import type { SearchPosition as _gsq_v1_SearchPosition, SearchPosition__Output as _gsq_v1_SearchPosition__Output } from '../../gsq/v1/SearchPosition.ts';

export interface SearchPartRequest {
  'gameId'?: (string);
  /**
   * Stored status; empty for all.
   */
  'status'?: (string);
  'words'?: (string);
  'playersMin'?: (number);
  'map'?: (string);
  'version'?: (string);
  'password'?: (boolean);
  'scope'?: (_gsq_v1_SearchScope | null);
  'sort'?: (string);
  'limit'?: (number);
  /**
   * Position after which the page begins; absent for the first page.
   */
  'after'?: (_gsq_v1_SearchPosition | null);
  '_password'?: "password";
}

export interface SearchPartRequest__Output {
  'gameId': (string);
  /**
   * Stored status; empty for all.
   */
  'status': (string);
  'words': (string);
  'playersMin': (number);
  'map': (string);
  'version': (string);
  'password'?: (boolean);
  'scope': (_gsq_v1_SearchScope__Output | null);
  'sort': (string);
  'limit': (number);
  /**
   * Position after which the page begins; absent for the first page.
   */
  'after': (_gsq_v1_SearchPosition__Output | null);
  '_password'?: "password";
}
