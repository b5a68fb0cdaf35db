// Original file: gsq/v1/cluster.proto

import type { ServerAccess as _gsq_v1_ServerAccess, ServerAccess__Output as _gsq_v1_ServerAccess__Output } from '../../gsq/v1/ServerAccess.ts';

/**
 * The result for one server of a PartCall.
 */
export interface PartServer {
  /**
   * Record of the server in the store format; empty if the server is not tracked.
   */
  'record'?: (Buffer | Uint8Array | string);
  /**
   * True if the call inserted the server.
   */
  'inserted'?: (boolean);
  /**
   * Why the address was refused (see InvalidServer); empty if it was not.
   */
  'invalidReason'?: (string);
  'invalidMessage'?: (string);
  /**
   * True if the called core does not own the bucket of the server. The caller must ask the new owner.
   */
  'moved'?: (boolean);
  /**
   * For PART_ACTION_READ: summary of the stored secret and options of the server; absent if it has neither.
   */
  'access'?: (_gsq_v1_ServerAccess | null);
}

/**
 * The result for one server of a PartCall.
 */
export interface PartServer__Output {
  /**
   * Record of the server in the store format; empty if the server is not tracked.
   */
  'record': (Buffer);
  /**
   * True if the call inserted the server.
   */
  'inserted': (boolean);
  /**
   * Why the address was refused (see InvalidServer); empty if it was not.
   */
  'invalidReason': (string);
  'invalidMessage': (string);
  /**
   * True if the called core does not own the bucket of the server. The caller must ask the new owner.
   */
  'moved': (boolean);
  /**
   * For PART_ACTION_READ: summary of the stored secret and options of the server; absent if it has neither.
   */
  'access': (_gsq_v1_ServerAccess__Output | null);
}
