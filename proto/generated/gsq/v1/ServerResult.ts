// Original file: gsq/v1/server.proto

import type { Updater as _gsq_v1_Updater, Updater__Output as _gsq_v1_Updater__Output } from '../../gsq/v1/Updater.ts';
import type { ServerPayload as _gsq_v1_ServerPayload, ServerPayload__Output as _gsq_v1_ServerPayload__Output } from '../../gsq/v1/ServerPayload.ts';
import type { Stale as _gsq_v1_Stale, Stale__Output as _gsq_v1_Stale__Output } from '../../gsq/v1/Stale.ts';

export interface ServerResult {
  /**
   * As the caller wrote it.
   */
  'gameId'?: (string);
  /**
   * As the caller wrote it.
   */
  'server'?: (string);
  'updater'?: (_gsq_v1_Updater | null);
  /**
   * Last known data; absent if the server has never answered.
   */
  'payload'?: (_gsq_v1_ServerPayload | null);
  /**
   * Present only if the data is older than the freshness threshold.
   */
  'stale'?: (_gsq_v1_Stale | null);
  /**
   * Reason why there is no payload; empty if there is a payload.
   */
  'message'?: (string);
}

export interface ServerResult__Output {
  /**
   * As the caller wrote it.
   */
  'gameId': (string);
  /**
   * As the caller wrote it.
   */
  'server': (string);
  'updater': (_gsq_v1_Updater__Output | null);
  /**
   * Last known data; absent if the server has never answered.
   */
  'payload': (_gsq_v1_ServerPayload__Output | null);
  /**
   * Present only if the data is older than the freshness threshold.
   */
  'stale': (_gsq_v1_Stale__Output | null);
  /**
   * Reason why there is no payload; empty if there is a payload.
   */
  'message': (string);
}
