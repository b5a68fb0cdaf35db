// Original file: gsq/v1/cluster.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

export interface RenderServersRequest {
  /**
   * True to render each server as an encoded ServerResult without `game_id` and `server`. False to render it as the value
   * of the server in the JSON object of a REST answer.
   */
  'typed'?: (boolean);
  /**
   * At most 250 servers, by the id of their game in the catalog and their canonical address.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
}

export interface RenderServersRequest__Output {
  /**
   * True to render each server as an encoded ServerResult without `game_id` and `server`. False to render it as the value
   * of the server in the JSON object of a REST answer.
   */
  'typed': (boolean);
  /**
   * At most 250 servers, by the id of their game in the catalog and their canonical address.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
}
