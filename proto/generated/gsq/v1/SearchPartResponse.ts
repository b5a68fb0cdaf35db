// Original file: gsq/v1/cluster.proto

import type { FoundServer as _gsq_v1_FoundServer, FoundServer__Output as _gsq_v1_FoundServer__Output } from '../../gsq/v1/FoundServer.ts';

export interface SearchPartResponse {
  /**
   * The found servers in the order of the list.
   */
  'servers'?: (_gsq_v1_FoundServer)[];
  /**
   * Number of servers of the called core that match, on all pages together.
   */
  'total'?: (number);
  /**
   * The set of server buckets that the called core owned during the search: one bit for each bucket, the lowest bit of
   * each byte first. Empty if the version of the called core is older.
   */
  'buckets'?: (Buffer | Uint8Array | string);
}

export interface SearchPartResponse__Output {
  /**
   * The found servers in the order of the list.
   */
  'servers': (_gsq_v1_FoundServer__Output)[];
  /**
   * Number of servers of the called core that match, on all pages together.
   */
  'total': (number);
  /**
   * The set of server buckets that the called core owned during the search: one bit for each bucket, the lowest bit of
   * each byte first. Empty if the version of the called core is older.
   */
  'buckets': (Buffer);
}
