// Original file: gsq/v1/server.proto

import type { ServerRef as _gsq_v1_ServerRef, ServerRef__Output as _gsq_v1_ServerRef__Output } from '../../gsq/v1/ServerRef.ts';
import type { InvalidServer as _gsq_v1_InvalidServer, InvalidServer__Output as _gsq_v1_InvalidServer__Output } from '../../gsq/v1/InvalidServer.ts';

export interface FetchMeta {
  /**
   * Number of entries in inserted_servers.
   */
  'autoInserted'?: (number);
  'insertedServers'?: (_gsq_v1_ServerRef)[];
  'invalidServers'?: (_gsq_v1_InvalidServer)[];
}

export interface FetchMeta__Output {
  /**
   * Number of entries in inserted_servers.
   */
  'autoInserted': (number);
  'insertedServers': (_gsq_v1_ServerRef__Output)[];
  'invalidServers': (_gsq_v1_InvalidServer__Output)[];
}
