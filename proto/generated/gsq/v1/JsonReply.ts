// Original file: gsq/v1/cluster.proto

import type { MetadataEntry as _gsq_v1_MetadataEntry, MetadataEntry__Output as _gsq_v1_MetadataEntry__Output } from '../../gsq/v1/MetadataEntry.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from '../../google/rpc/Status.ts';

export interface JsonReply {
  'id'?: (number);
  /**
   * The initial metadata of the reply. A key with several values has several entries.
   */
  'metadata'?: (_gsq_v1_MetadataEntry)[];
  /**
   * The data of the google.api.HttpBody. Empty if the call failed.
   */
  'body'?: (Buffer | Uint8Array | string);
  /**
   * Present if the call failed.
   */
  'error'?: (_google_rpc_Status | null);
  /**
   * True if the core has not begun the call, because the core is shutting down or because too many calls of the stream
   * are in progress. The sender can make the call as a gRPC call of its own, even if the method has side effects.
   */
  'notBegun'?: (boolean);
}

export interface JsonReply__Output {
  'id': (number);
  /**
   * The initial metadata of the reply. A key with several values has several entries.
   */
  'metadata': (_gsq_v1_MetadataEntry__Output)[];
  /**
   * The data of the google.api.HttpBody. Empty if the call failed.
   */
  'body': (Buffer);
  /**
   * Present if the call failed.
   */
  'error': (_google_rpc_Status__Output | null);
  /**
   * True if the core has not begun the call, because the core is shutting down or because too many calls of the stream
   * are in progress. The sender can make the call as a gRPC call of its own, even if the method has side effects.
   */
  'notBegun': (boolean);
}
