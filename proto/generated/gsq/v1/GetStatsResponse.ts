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
   * Number of probers with an open session.
   */
  'probers'?: (number);
  /**
   * Number of active leases.
   */
  'leased'?: (number | string | Long);
  /**
   * Number of tokens that are neither revoked nor expired.
   */
  'tokens'?: (number);
  /**
   * Version of the core.
   */
  'version'?: (string);
  'startedAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Number of fetches answered since the start of the core, by REST and gRPC together.
   */
  'fetches'?: (number | string | Long);
  /**
   * Number of fetches refused or failed since the start of the core.
   */
  'fetchesRefused'?: (number | string | Long);
  /**
   * Number of fetches in progress.
   */
  'fetchesInFlight'?: (number);
  /**
   * Number of probe reports recorded since the start of the core.
   */
  'probes'?: (number | string | Long);
  /**
   * Number of these reports with the outcome online.
   */
  'probesOnline'?: (number | string | Long);
  /**
   * Longest delay between the due time of a probe and its lease, of all probes leased within the last ten seconds.
   */
  'scheduleLagSeconds'?: (number | string);
  /**
   * True if failed probes are ignored, because the network connection of a prober seems to be down.
   */
  'frozen'?: (boolean);
  /**
   * Number of unconfirmed servers: servers that have never answered.
   */
  'unproven'?: (number | string | Long);
  /**
   * True if the store accepts writes. If the service has several cores, false while one of them does not answer. The
   * other fields do not contain the numbers of a core that does not answer.
   */
  'storeHealthy'?: (boolean);
  /**
   * Size of the data directory in bytes.
   */
  'storeBytes'?: (number | string | Long);
  /**
   * Free space on the file system of the data directory, in bytes.
   */
  'diskFreeBytes'?: (number | string | Long);
  /**
   * Number of servers with each label except FIREWALL_LABEL_NONE.
   */
  'labels'?: (_gsq_v1_LabelCount)[];
  /**
   * The games with the most servers, at most as many as requested.
   */
  'games'?: (_gsq_v1_GameCount)[];
}

export interface GetStatsResponse__Output {
  'tracked': (number);
  'pending': (number);
  'online': (number);
  'offline': (number);
  /**
   * Number of probers with an open session.
   */
  'probers': (number);
  /**
   * Number of active leases.
   */
  'leased': (number);
  /**
   * Number of tokens that are neither revoked nor expired.
   */
  'tokens': (number);
  /**
   * Version of the core.
   */
  'version': (string);
  'startedAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Number of fetches answered since the start of the core, by REST and gRPC together.
   */
  'fetches': (number);
  /**
   * Number of fetches refused or failed since the start of the core.
   */
  'fetchesRefused': (number);
  /**
   * Number of fetches in progress.
   */
  'fetchesInFlight': (number);
  /**
   * Number of probe reports recorded since the start of the core.
   */
  'probes': (number);
  /**
   * Number of these reports with the outcome online.
   */
  'probesOnline': (number);
  /**
   * Longest delay between the due time of a probe and its lease, of all probes leased within the last ten seconds.
   */
  'scheduleLagSeconds': (number);
  /**
   * True if failed probes are ignored, because the network connection of a prober seems to be down.
   */
  'frozen': (boolean);
  /**
   * Number of unconfirmed servers: servers that have never answered.
   */
  'unproven': (number);
  /**
   * True if the store accepts writes. If the service has several cores, false while one of them does not answer. The
   * other fields do not contain the numbers of a core that does not answer.
   */
  'storeHealthy': (boolean);
  /**
   * Size of the data directory in bytes.
   */
  'storeBytes': (number);
  /**
   * Free space on the file system of the data directory, in bytes.
   */
  'diskFreeBytes': (number);
  /**
   * Number of servers with each label except FIREWALL_LABEL_NONE.
   */
  'labels': (_gsq_v1_LabelCount__Output)[];
  /**
   * The games with the most servers, at most as many as requested.
   */
  'games': (_gsq_v1_GameCount__Output)[];
}
