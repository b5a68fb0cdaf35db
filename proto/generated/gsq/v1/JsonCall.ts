// Original file: gsq/v1/cluster.proto

import type { MetadataEntry as _gsq_v1_MetadataEntry, MetadataEntry__Output as _gsq_v1_MetadataEntry__Output } from '../../gsq/v1/MetadataEntry.ts';

export interface JsonCall {
  /**
   * Id of the call. The sender chooses it. No two unanswered calls of a stream can have the same id.
   */
  'id'?: (number);
  /**
   * Path of the called method, such as `/gsq.v1.ServerService/ListServersJson`.
   */
  'path'?: (string);
  /**
   * The encoded request message of the method.
   */
  'request'?: (Buffer | Uint8Array | string);
  /**
   * The metadata of the call, with the internal secret.
   */
  'metadata'?: (_gsq_v1_MetadataEntry)[];
  /**
   * Time in milliseconds after which the sender no longer wants the reply.
   */
  'timeoutMs'?: (number);
}

export interface JsonCall__Output {
  /**
   * Id of the call. The sender chooses it. No two unanswered calls of a stream can have the same id.
   */
  'id': (number);
  /**
   * Path of the called method, such as `/gsq.v1.ServerService/ListServersJson`.
   */
  'path': (string);
  /**
   * The encoded request message of the method.
   */
  'request': (Buffer);
  /**
   * The metadata of the call, with the internal secret.
   */
  'metadata': (_gsq_v1_MetadataEntry__Output)[];
  /**
   * Time in milliseconds after which the sender no longer wants the reply.
   */
  'timeoutMs': (number);
}
