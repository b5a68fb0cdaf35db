// Original file: gsq/v1/server.proto

import type { ServerStatus as _gsq_v1_ServerStatus, ServerStatus__Output as _gsq_v1_ServerStatus__Output } from '../../gsq/v1/ServerStatus.ts';
import type { FirewallLabel as _gsq_v1_FirewallLabel, FirewallLabel__Output as _gsq_v1_FirewallLabel__Output } from '../../gsq/v1/FirewallLabel.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * How and when a server is probed. A time that has not happened yet is absent.
 */
export interface Updater {
  'status'?: (_gsq_v1_ServerStatus);
  'firewallIntervalMinutes'?: (number);
  'firewallLabel'?: (_gsq_v1_FirewallLabel);
  'nextProbeAt'?: (_google_protobuf_Timestamp | null);
  'lastProbeAt'?: (_google_protobuf_Timestamp | null);
  'lastOnlineAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Why the status is not online, one word of docs/errors.md: unprobed, no_reply, refused ... Empty where it is.
   */
  'reason'?: (string);
}

/**
 * How and when a server is probed. A time that has not happened yet is absent.
 */
export interface Updater__Output {
  'status': (_gsq_v1_ServerStatus__Output);
  'firewallIntervalMinutes': (number);
  'firewallLabel': (_gsq_v1_FirewallLabel__Output);
  'nextProbeAt': (_google_protobuf_Timestamp__Output | null);
  'lastProbeAt': (_google_protobuf_Timestamp__Output | null);
  'lastOnlineAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Why the status is not online, one word of docs/errors.md: unprobed, no_reply, refused ... Empty where it is.
   */
  'reason': (string);
}
