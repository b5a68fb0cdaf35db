// Original file: gsq/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { LabelCount as _gsq_v1_LabelCount, LabelCount__Output as _gsq_v1_LabelCount__Output } from '../../gsq/v1/LabelCount.ts';
import type { GameCount as _gsq_v1_GameCount, GameCount__Output as _gsq_v1_GameCount__Output } from '../../gsq/v1/GameCount.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetStatsResponse {
  'tracked'?: (number | string | Long);
  'pending'?: (number | string | Long);
  'online'?: (number | string | Long);
  'offline'?: (number | string | Long);
  /**
   * Probers in session.
   */
  'probers'?: (number);
  /**
   * Leases given out and not reported yet.
   */
  'leased'?: (number | string | Long);
  /**
   * Tokens neither revoked nor expired.
   */
  'tokens'?: (number);
  /**
   * Version of the core.
   */
  'version'?: (string);
  'startedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Fetches answered since then, by REST and gRPC.
   */
  'fetches'?: (number | string | Long);
  /**
   * Fetches refused or failed since then.
   */
  'fetchesRefused'?: (number | string | Long);
  /**
   * Fetches under way.
   */
  'fetchesInFlight'?: (number);
  /**
   * Reports of probes recorded since then.
   */
  'probes'?: (number | string | Long);
  /**
   * Those of them that found a server online.
   */
  'probesOnline'?: (number | string | Long);
  /**
   * How late the latest probe of the last ten seconds was given to a prober.
   */
  'scheduleLagSeconds'?: (number | string);
  /**
   * Whether failed probes are ignored, because a prober seems cut off.
   */
  'frozen'?: (boolean);
  /**
   * Servers that never answered.
   */
  'unproven'?: (number | string | Long);
  /**
   * Whether the store takes writes.
   */
  'storeHealthy'?: (boolean);
  /**
   * Size of the data directory.
   */
  'storeBytes'?: (number | string | Long);
  /**
   * Room left on its file system.
   */
  'diskFreeBytes'?: (number | string | Long);
  /**
   * Servers by label, all labels but FIREWALL_LABEL_NONE.
   */
  'labels'?: (_gsq_v1_LabelCount)[];
  /**
   * As many as were asked for.
   */
  'games'?: (_gsq_v1_GameCount)[];
}

export interface GetStatsResponse__Output {
  'tracked': (number);
  'pending': (number);
  'online': (number);
  'offline': (number);
  /**
   * Probers in session.
   */
  'probers': (number);
  /**
   * Leases given out and not reported yet.
   */
  'leased': (number);
  /**
   * Tokens neither revoked nor expired.
   */
  'tokens': (number);
  /**
   * Version of the core.
   */
  'version': (string);
  'startedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Fetches answered since then, by REST and gRPC.
   */
  'fetches': (number);
  /**
   * Fetches refused or failed since then.
   */
  'fetchesRefused': (number);
  /**
   * Fetches under way.
   */
  'fetchesInFlight': (number);
  /**
   * Reports of probes recorded since then.
   */
  'probes': (number);
  /**
   * Those of them that found a server online.
   */
  'probesOnline': (number);
  /**
   * How late the latest probe of the last ten seconds was given to a prober.
   */
  'scheduleLagSeconds': (number);
  /**
   * Whether failed probes are ignored, because a prober seems cut off.
   */
  'frozen': (boolean);
  /**
   * Servers that never answered.
   */
  'unproven': (number);
  /**
   * Whether the store takes writes.
   */
  'storeHealthy': (boolean);
  /**
   * Size of the data directory.
   */
  'storeBytes': (number);
  /**
   * Room left on its file system.
   */
  'diskFreeBytes': (number);
  /**
   * Servers by label, all labels but FIREWALL_LABEL_NONE.
   */
  'labels': (_gsq_v1_LabelCount__Output)[];
  /**
   * As many as were asked for.
   */
  'games': (_gsq_v1_GameCount__Output)[];
}
