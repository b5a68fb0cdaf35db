// Original file: gsq/v1/cluster.proto

import type { SearchPosition as _gsq_v1_SearchPosition, SearchPosition__Output as _gsq_v1_SearchPosition__Output } from '../../gsq/v1/SearchPosition.ts';

export interface FoundServer {
  /**
   * Record of the server in the store format; empty if the called core no longer has the server.
   */
  'record'?: (Buffer | Uint8Array | string);
  /**
   * Position of the server in the list.
   */
  'position'?: (_gsq_v1_SearchPosition | null);
}

export interface FoundServer__Output {
  /**
   * Record of the server in the store format; empty if the called core no longer has the server.
   */
  'record': (Buffer);
  /**
   * Position of the server in the list.
   */
  'position': (_gsq_v1_SearchPosition__Output | null);
}
